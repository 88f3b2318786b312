# Lines and pixels that are reduced together are one loop, so short lines leave no rest each.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def main(A: T.Buffer((T.int64(3), T.int64(5), T.int64(13)), "float32"), out: T.Buffer((T.int64(3),), "float32")):
        with T.sblock("root"):
            for c, y, x in T.grid(T.int64(3), T.int64(5), T.int64(13)):
                with T.sblock("out"):
                    vc, vy, vx = T.axis.remap("SRR", [c, y, x])
                    with T.init():
                        out[vc] = T.float32(0)
                    out[vc] = out[vc] + A[vc, vy, vx]


@I.ir_module
class Expected:
    @T.prim_func
    def main(A: T.Buffer((T.int64(3), T.int64(5), T.int64(13)), "float32"), out: T.Buffer((T.int64(3),), "float32")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            A_flat = T.decl_buffer((T.int64(3), T.int64(65)), data=A.data)
            for c in range(T.min(252, T.Sub(T.int64(3), T.int64(0)))):
                acc = T.alloc_local((T.int64(4), T.int64(16)))
                for u in T.unroll(T.int64(4)):
                    for j in T.vectorized(T.int64(16)):
                        acc[u, j] = T.float32(0.0)
                for u in T.unroll(T.int64(4)):
                    for j in T.vectorized(T.int64(16)):
                        acc[u, j] = acc[u, j] + A_flat[c, u * 16 + j]
                for j in T.vectorized(T.int64(16)):
                    acc[T.int64(0), j] = acc[T.int64(0), j] + T.if_then_else(64 + j < 65, A_flat[c, 64 + j], T.float32(0.0))
                lanes = T.alloc_local((T.int64(1), T.int64(16)))
                for j in T.vectorized(T.int64(16)):
                    lanes[T.int64(0), j] = acc[T.int64(0), j] + acc[T.int64(1), j] + acc[T.int64(2), j] + acc[T.int64(3), j]
                for j in T.vectorized(T.int64(8)):
                    lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 8]
                for j in T.vectorized(T.int64(4)):
                    lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 4]
                for j in T.vectorized(T.int64(2)):
                    lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 2]
                lanes[T.int64(0), T.int64(0)] = lanes[T.int64(0), T.int64(0)] + lanes[T.int64(0), T.int64(1)]
                out[c] = lanes[T.int64(0), T.int64(0)]

