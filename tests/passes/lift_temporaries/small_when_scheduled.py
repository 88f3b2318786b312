# A temporary as large as the result stays where scheduling keeps one element of it at a time; so do those of a block
# inside that the stack holds together.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def rounded(A: T.Buffer((4, 40000), "float16"), B: T.Buffer((4, 40000), "float16")):
        with T.sblock("root"):
            C = T.sblock_alloc_buffer((4, 40000), "float32")
            for i, j in T.grid(4, 40000):
                with T.sblock("wide"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    C[vi, vj] = T.exp(T.Cast("float32", A[vi, vj]))
            for i, j in T.grid(4, 40000):
                with T.sblock("narrow"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    B[vi, vj] = T.Cast("float16", C[vi, vj])

    @T.prim_func(private=True)
    def reversed(A: T.Buffer((4, 40000), "float32"), B: T.Buffer((4, 40000), "float32")):
        with T.sblock("root"):
            for i in range(4):
                with T.sblock("row"):
                    vi = T.axis.spatial(4, i)
                    C = T.sblock_alloc_buffer((40000,), "float32")
                    for j in range(40000):
                        C[j] = A[vi, j] * T.float32(2)
                    for j in range(40000):
                        B[vi, j] = C[39999 - j]

    @R.function
    def main(x: R.Tensor((4, 40000), "float16"), y: R.Tensor((4, 40000), "float32")):
        cls = Before
        with R.dataflow():
            a = R.call_tir(cls.rounded, (x,), out_ty=R.Tensor((4, 40000), "float16"))
            b = R.call_tir(cls.reversed, (y,), out_ty=R.Tensor((4, 40000), "float32"))
            gv = (a, b)
            R.output(gv)
        return gv


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def reversed(A: T.Buffer((4, 40000), "float32"), B: T.Buffer((4, 40000), "float32")):
        # with T.sblock("root"):
        for i in range(4):
            with T.sblock("row"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi, 0:40000])
                T.writes(B[vi, 0:40000])
                C = T.sblock_alloc_buffer((40000,))
                for j in range(40000):
                    C[j] = A[vi, j] * T.float32(2.0)
                for j in range(40000):
                    B[vi, j] = C[39999 - j]

    @T.prim_func(private=True)
    def rounded(A: T.Buffer((4, 40000), "float16"), B: T.Buffer((4, 40000), "float16")):
        # with T.sblock("root"):
        C = T.sblock_alloc_buffer((4, 40000))
        for i, j in T.grid(4, 40000):
            with T.sblock("wide"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = T.exp(T.Cast("float32", A[vi, vj]))
        for i, j in T.grid(4, 40000):
            with T.sblock("narrow"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(C[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = T.Cast("float16", C[vi, vj])

    @R.function
    def main(x: R.Tensor((4, 40000), dtype="float16"), y: R.Tensor((4, 40000), dtype="float32")) -> R.Tuple(R.Tensor((4, 40000), dtype="float16"), R.Tensor((4, 40000), dtype="float32")):
        cls = Expected
        with R.dataflow():
            a = R.call_tir(cls.rounded, (x,), out_ty=R.Tensor((4, 40000), dtype="float16"))
            b = R.call_tir(cls.reversed, (y,), out_ty=R.Tensor((4, 40000), dtype="float32"))
            gv: R.Tuple(R.Tensor((4, 40000), dtype="float16"), R.Tensor((4, 40000), dtype="float32")) = (a, b)
            R.output(gv)
        return gv
