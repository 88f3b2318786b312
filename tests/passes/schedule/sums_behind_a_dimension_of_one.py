# A filling of a buffer is the beginning of sums into it, also where one dimension has one element alone.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def sums(a: T.handle, b: T.handle):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v2 -l1-cache=49152 -l2-cache=1048576"})
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (T.int64(1), n, m), "float32")
        B = T.match_buffer(b, (T.int64(1), n, T.int64(1)), "float32")
        with T.sblock("root"):
            for h, i, o in T.grid(T.int64(1), n, T.int64(1)):
                with T.sblock("first"):
                    vh, vi, vo = T.axis.remap("SSS", [h, i, o])
                    B[vh, vi, vo] = T.float32(0)
            for h, i, o, l in T.grid(T.int64(1), n, T.int64(1), m):
                with T.sblock("sum"):
                    vh, vi, vo, vl = T.axis.remap("SSSR", [h, i, o, l])
                    B[vh, vi, vo] = B[vh, vi, vo] + A[vh, vi, vl]


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def sums(a: T.handle, b: T.handle):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v2 -l1-cache=49152 -l2-cache=1048576"})
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (T.int64(1), n, m))
        B = T.match_buffer(b, (T.int64(1), n, T.int64(1)))
        with T.sblock("root"):
            T.reads()
            T.writes()
            B_flat = T.decl_buffer((T.int64(1), n), data=B.data)
            with T.attr(None, "parallel_if", n * m >= 65536):
                for chunk in T.parallel(n):
                    acc = T.alloc_local((T.int64(4), T.int64(4)))
                    for u in T.unroll(T.int64(4)):
                        for j in T.vectorized(T.int64(4)):
                            acc[u, j] = T.float32(0.0)
                    for block in range(m // 16):
                        for u in T.unroll(T.int64(4)):
                            for j in T.vectorized(T.int64(4)):
                                acc[u, j] = acc[u, j] + A[T.int64(0), chunk, (block * 4 + u) * 4 + j]
                    for vector in range(m // 4 - m // 16 * 4):
                        for j in T.vectorized(T.int64(4)):
                            acc[T.int64(0), j] = acc[T.int64(0), j] + A[T.int64(0), chunk, (m // 16 * 4 + vector) * 4 + j]
                    if m // 4 * 4 < m:
                        for j in T.vectorized(T.int64(4)):
                            acc[T.int64(0), j] = acc[T.int64(0), j] + T.if_then_else(m // 4 * 4 + j < m, A[T.int64(0), chunk, m // 4 * 4 + j], T.float32(0.0))
                    lanes = T.alloc_local((T.int64(1), T.int64(4)))
                    for j in T.vectorized(T.int64(4)):
                        lanes[T.int64(0), j] = acc[T.int64(0), j] + acc[T.int64(1), j] + acc[T.int64(2), j] + acc[T.int64(3), j]
                    for j in T.vectorized(T.int64(2)):
                        lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 2]
                    lanes[T.int64(0), T.int64(0)] = lanes[T.int64(0), T.int64(0)] + lanes[T.int64(0), T.int64(1)]
                    B_flat[T.int64(0), chunk] = lanes[T.int64(0), T.int64(0)]
