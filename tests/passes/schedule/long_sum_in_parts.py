# A long sum to few results is made of the sums of parts, which threads take.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def main(A: T.Buffer((T.int64(1024), T.int64(512), T.int64(16)), "float32"), out: T.Buffer((T.int64(16),), "float32")):
        for j, p, q in T.grid(T.int64(16), T.int64(1024), T.int64(512)):
            with T.sblock("sum"):
                vj, vp, vq = T.axis.remap("SRR", [j, p, q])
                with T.init():
                    out[vj] = T.float32(0)
                out[vj] = out[vj] + A[vp, vq, vj]


@I.ir_module
class Expected:
    @T.prim_func
    def main(A: T.Buffer((T.int64(1024), T.int64(512), T.int64(16)), "float32"), out: T.Buffer((T.int64(16),), "float32")):
        # with T.sblock("root"):
        out_parts = T.sblock_alloc_buffer((T.int64(16), T.int64(16)))
        A_flat = T.decl_buffer((T.int64(524288), T.int64(16)), data=A.data)
        with T.attr(None, "parallel_if", T.bool(True)):
            for chunk in T.parallel(T.int64(16)):
                acc = T.alloc_local((T.int64(1), T.int64(16)))
                for j in T.vectorized(T.int64(16)):
                    acc[T.int64(0), j] = T.float32(0.0)
                for q in range(T.int64(32768)):
                    for j in T.vectorized(T.int64(16)):
                        acc[T.int64(0), j] = acc[T.int64(0), j] + A_flat[chunk * 32768 + q, j]
                for j in T.vectorized(T.int64(16)):
                    out_parts[chunk, j] = acc[T.int64(0), j]
        acc = T.alloc_local((T.int64(1), T.int64(16)))
        for j in T.vectorized(T.int64(16)):
            acc[T.int64(0), j] = T.float32(0.0)
        for part in range(T.int64(16)):
            for j in T.vectorized(T.int64(16)):
                acc[T.int64(0), j] = acc[T.int64(0), j] + out_parts[part, j]
        for j in T.vectorized(T.int64(16)):
            out[j] = acc[T.int64(0), j]

