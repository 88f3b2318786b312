# A kernel names the plan by which it is scheduled: tiles of one vector in place of two.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def product(A: T.Buffer((T.int64(2), T.int64(3)), "float32"), B: T.Buffer((T.int64(3), T.int64(20)), "float32"), out: T.Buffer((T.int64(2), T.int64(20)), "float32")):
        T.func_attr({"sunmao.plans": ["tile 2x1"]})
        with T.sblock("root"):
            for i, j, k in T.grid(T.int64(2), T.int64(20), T.int64(3)):
                with T.sblock("product"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    with T.init():
                        out[vi, vj] = T.float32(0)
                    out[vi, vj] = out[vi, vj] + A[vi, vk] * B[vk, vj]


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def product(A: T.Buffer((T.int64(2), T.int64(3)), "float32"), B: T.Buffer((T.int64(3), T.int64(20)), "float32"), out: T.Buffer((T.int64(2), T.int64(20)), "float32")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            for task in range(T.int64(2)):
                if task // 1 * 16 + 16 <= 20:
                    sums = T.alloc_local((T.int64(2), T.int64(16)))
                    for r in T.unroll(T.int64(2)):
                        for j in T.vectorized(T.int64(16)):
                            sums[r, j] = T.float32(0.0)
                    for k in T.unroll(T.int64(3)):
                        for r in T.unroll(T.int64(2)):
                            for j in T.vectorized(T.int64(16)):
                                sums[r, j] = sums[r, j] + A[r, k] * B[k, task // 1 * 16 + j]
                    for r in T.unroll(T.int64(2)):
                        for j in T.vectorized(T.int64(16)):
                            out[r, task // 1 * 16 + j] = sums[r, j]
                else:
                    sums = T.alloc_local((T.int64(2), T.int64(16)))
                    for r in T.unroll(T.int64(2)):
                        for j in T.vectorized(T.int64(16)):
                            sums[r, j] = T.float32(0.0)
                    for k in T.unroll(T.int64(3)):
                        for r in T.unroll(T.int64(2)):
                            for j in T.vectorized(T.int64(16)):
                                sums[r, j] = sums[r, j] + A[r, k] * T.if_then_else(j < 4, B[k, 16 + j], T.float32(0.0))
                    for r in T.unroll(T.int64(2)):
                        for j in T.vectorized(T.int64(16)):
                            if j < 4:
                                out[r, 16 + j] = sums[r, j]

