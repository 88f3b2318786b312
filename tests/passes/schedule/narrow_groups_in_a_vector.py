# Narrow groups of columns lie side by side in a vector; the last vector has those that are left.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def product(A: T.Buffer((T.int64(2), T.int64(20)), "float32"), B: T.Buffer((T.int64(4), T.int64(20)), "float32"), out: T.Buffer((T.int64(2), T.int64(20)), "float32")):
        with T.sblock("root"):
            for i, j, k in T.grid(T.int64(2), T.int64(20), T.int64(4)):
                with T.sblock("product"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    with T.init():
                        out[vi, vj] = T.float32(0)
                    out[vi, vj] = out[vi, vj] + A[vi, vj // 4 * 4 + vk] * B[vk, vj]


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def product(A: T.Buffer((T.int64(2), T.int64(20)), "float32"), B: T.Buffer((T.int64(4), T.int64(20)), "float32"), out: T.Buffer((T.int64(2), T.int64(20)), "float32")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            sums = T.alloc_local((T.int64(2), T.int64(32)))
            for r in T.unroll(T.int64(2)):
                for v in T.unroll(T.int64(2)):
                    for j in T.vectorized(T.int64(16)):
                        sums[r, v * 16 + j] = T.float32(0.0)
            for r in T.unroll(T.int64(2)):
                for k in T.unroll(T.int64(4)):
                    for v in T.unroll(T.int64(2)):
                        for j in T.vectorized(T.int64(16)):
                            sums[r, v * 16 + j] = sums[r, v * 16 + j] + T.if_then_else(v * 16 + j < 20, A[r, (v * 16 // 4 + j // 4) * 4 + k], T.float32(0.0)) * T.if_then_else(v * 16 + j < 20, B[k, v * 16 + j], T.float32(0.0))
            for r in T.unroll(T.int64(2)):
                for v in T.unroll(T.int64(2)):
                    for j in T.vectorized(T.int64(16)):
                        if v * 16 + j < 20:
                            out[r, v * 16 + j] = sums[r, v * 16 + j]
