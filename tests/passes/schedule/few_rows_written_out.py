# The pixels of a small image are rows of tiles that are written out, so that it is known where each of them lies.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def main(A: T.Buffer((T.int64(5), T.int64(4), T.int64(64)), "float32"), W: T.Buffer((T.int64(3), T.int64(64), T.int64(16)), "float32"), C: T.Buffer((T.int64(3), T.int64(4), T.int64(16)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for y, x, c, k, d in T.grid(T.int64(3), T.int64(4), T.int64(16), T.int64(3), T.int64(64)):
            with T.sblock("sum"):
                vy, vx, vc, vk, vd = T.axis.remap("SSSRR", [y, x, c, k, d])
                T.reads(A[vy + vk, vx, vd], W[vk, vd, vc])
                T.writes(C[vy, vx, vc])
                with T.init():
                    C[vy, vx, vc] = T.float32(0)
                C[vy, vx, vc] = C[vy, vx, vc] + A[vy + vk, vx, vd] * W[vk, vd, vc]


@I.ir_module
class Expected:
    @T.prim_func
    def main(A: T.Buffer((T.int64(5), T.int64(4), T.int64(64)), "float32"), W: T.Buffer((T.int64(3), T.int64(64), T.int64(16)), "float32"), C: T.Buffer((T.int64(3), T.int64(4), T.int64(16)), "float32")):
        T.func_attr({"tirx.noalias": True})
        with T.sblock("root"):
            T.reads()
            T.writes()
            C_flat = T.decl_buffer((T.int64(12), T.int64(16)), data=C.data)
            sums = T.alloc_local((T.int64(12), T.int64(16)))
            for r in T.unroll(T.int64(12)):
                for j in T.vectorized(T.int64(16)):
                    sums[r, j] = T.float32(0.0)
            for k, d in T.grid(T.int64(3), T.int64(64)):
                for r in T.unroll(T.int64(12)):
                    for j in T.vectorized(T.int64(16)):
                        sums[r, j] = sums[r, j] + A[r // 4 + k, r % 4, d] * W[k, d, j]
            for r in T.unroll(T.int64(12)):
                for j in T.vectorized(T.int64(16)):
                    C_flat[r, j] = sums[r, j]
