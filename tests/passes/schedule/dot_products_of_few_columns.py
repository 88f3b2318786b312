# Vectors run along the steps where there are few columns; the last one is masked.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def product(A: T.Buffer((T.int64(2), T.int64(20)), "float32"), B: T.Buffer((T.int64(2), T.int64(20)), "float32"), out: T.Buffer((T.int64(2), T.int64(2)), "float32")):
        with T.sblock("root"):
            for i, j, k in T.grid(T.int64(2), T.int64(2), T.int64(20)):
                with T.sblock("product"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    with T.init():
                        out[vi, vj] = T.float32(0)
                    out[vi, vj] = out[vi, vj] + A[vi, vk] * B[vj, vk]


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def product(A: T.Buffer((T.int64(2), T.int64(20)), "float32"), B: T.Buffer((T.int64(2), T.int64(20)), "float32"), out: T.Buffer((T.int64(2), T.int64(2)), "float32")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            sums = T.alloc_local((T.int64(2), T.int64(32)))
            for r in T.unroll(T.int64(2)):
                for o in T.unroll(T.int64(2)):
                    for j in T.vectorized(T.int64(16)):
                        sums[r, o * 16 + j] = T.float32(0.0)
            for r in T.unroll(T.int64(2)):
                for o in T.unroll(T.int64(2)):
                    for j in T.vectorized(T.int64(16)):
                        sums[r, o * 16 + j] = sums[r, o * 16 + j] + A[r, j] * B[o, j]
            for r in T.unroll(T.int64(2)):
                for o in T.unroll(T.int64(2)):
                    for j in T.vectorized(T.int64(16)):
                        sums[r, o * 16 + j] = sums[r, o * 16 + j] + T.if_then_else(j < 4, A[r, 16 + j], T.float32(0.0)) * T.if_then_else(j < 4, B[o, 16 + j], T.float32(0.0))
            results = T.alloc_local((T.int64(2), T.int64(16)))
            for r in T.unroll(T.int64(2)):
                for o in T.unroll(T.int64(2)):
                    for j in T.vectorized(T.int64(8)):
                        sums[r, o * 16 + j] = sums[r, o * 16 + j] + sums[r, o * 16 + j + 8]
                    for j in T.vectorized(T.int64(4)):
                        sums[r, o * 16 + j] = sums[r, o * 16 + j] + sums[r, o * 16 + j + 4]
                    for j in T.vectorized(T.int64(2)):
                        sums[r, o * 16 + j] = sums[r, o * 16 + j] + sums[r, o * 16 + j + 2]
                    sums[r, o * 16] = sums[r, o * 16] + sums[r, o * 16 + 1]
                    results[r, o] = sums[r, o * 16]
            for r in T.unroll(T.int64(2)):
                for j in T.vectorized(T.int64(16)):
                    if j < 2:
                        out[r, j] = results[r, j]
