# Windows of fewer elements than a vector has lanes: vectors hold results, not the elements of one. Threads share channels
# of the only image.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def main(data: T.Buffer((T.int64(1), T.int64(64), T.int64(8), T.int64(160)), "float32"), out: T.Buffer((T.int64(1), T.int64(64), T.int64(4), T.int64(80)), "float32")):
        for i0, i1, i2, i3, k4, k5 in T.grid(T.int64(1), T.int64(64), T.int64(4), T.int64(80), T.int64(2), T.int64(2)):
            with T.sblock("sum"):
                v0, v1, v2, v3, v4, v5 = T.axis.remap("SSSSRR", [i0, i1, i2, i3, k4, k5])
                with T.init():
                    out[v0, v1, v2, v3] = T.float32(0.0)
                out[v0, v1, v2, v3] = out[v0, v1, v2, v3] + data[v0, v1, v2 * 2 + v4, v3 * 2 + v5]


@I.ir_module
class Expected:
    @T.prim_func
    def main(data: T.Buffer((T.int64(1), T.int64(64), T.int64(8), T.int64(160)), "float32"), out: T.Buffer((T.int64(1), T.int64(64), T.int64(4), T.int64(80)), "float32")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            for i0 in range(T.int64(1)):
                with T.attr(None, "parallel_if", T.bool(True)):
                    for chunk in T.parallel(T.int64(6)):
                        for i1, i2 in T.grid(T.min(12, 64 - chunk * 12), T.int64(4)):
                            with T.alloc_local((T.int64(4), T.int64(16))) as acc:
                                for u in T.unroll(T.int64(4)):
                                    for j in T.vectorized(T.int64(16)):
                                        acc[u, j] = T.float32(0.0)
                                for k4, k5 in T.grid(T.int64(2), T.int64(2)):
                                    for u in T.unroll(T.int64(4)):
                                        for j in T.vectorized(T.int64(16)):
                                            acc[u, j] = acc[u, j] + data[i0, chunk * 12 + i1, i2 * 2 + k4, (u * 16 + j) * 2 + k5]
                                for u in T.unroll(T.int64(4)):
                                    for j in T.vectorized(T.int64(16)):
                                        out[i0, chunk * 12 + i1, i2, u * 16 + j] = acc[u, j]
                            acc = T.alloc_local((T.int64(1), T.int64(16)))
                            for j in T.vectorized(T.int64(16)):
                                acc[T.int64(0), j] = T.float32(0.0)
                            for k4, k5 in T.grid(T.int64(2), T.int64(2)):
                                for j in T.vectorized(T.int64(16)):
                                    acc[T.int64(0), j] = acc[T.int64(0), j] + data[i0, chunk * 12 + i1, i2 * 2 + k4, (64 + j) * 2 + k5]
                            for j in T.vectorized(T.int64(16)):
                                out[i0, chunk * 12 + i1, i2, 64 + j] = acc[T.int64(0), j]

