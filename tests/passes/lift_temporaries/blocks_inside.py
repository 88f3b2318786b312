# Conditions and regions of blocks inside name the part of a temporary that moves.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def kept(A: T.Buffer((4, 400000), "int32"), B: T.Buffer((4, 400000), "int32")):
        with T.sblock("root"):
            for i in range(4):
                with T.sblock("row"):
                    vi = T.axis.spatial(4, i)
                    C = T.sblock_alloc_buffer((400000,), "int32")
                    for j in range(400000):
                        with T.sblock("fill"):
                            vj = T.axis.spatial(400000, j)
                            T.reads(A[vi, vj])
                            T.writes(C[vj])
                            C[vj] = A[vi, vj] - 1
                    for j in range(400000):
                        with T.sblock("back"):
                            vj = T.axis.spatial(400000, j)
                            T.where(C[j] >= 0)
                            T.reads(C[vj])
                            T.writes(B[vi, vj])
                            B[vi, vj] = C[vj]

    @R.function
    def main(x: R.Tensor((4, 400000), "int32")):
        cls = Before
        with R.dataflow():
            gv = R.call_tir(cls.kept, (x,), out_ty=R.Tensor((4, 400000), "int32"))
            R.output(gv)
        return gv


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def kept(A: T.Buffer((4, 400000), "int32"), B: T.Buffer((4, 400000), "int32")):
        # with T.sblock("root"):
        for i in range(4):
            with T.sblock("row"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi, 0:400000])
                T.writes(B[vi, 0:400000])
                C = T.sblock_alloc_buffer((400000,), "int32")
                for j in range(400000):
                    with T.sblock("fill"):
                        vj = T.axis.spatial(400000, j)
                        T.reads(A[vi, vj])
                        T.writes(C[vj])
                        C[vj] = A[vi, vj] - 1
                for j in range(400000):
                    with T.sblock("back"):
                        vj = T.axis.spatial(400000, j)
                        T.where(C[j] >= 0)
                        T.reads(C[vj])
                        T.writes(B[vi, vj])
                        B[vi, vj] = C[vj]

    @T.prim_func(private=True)
    def kept_planned(A: T.Buffer((4, 400000), "int32"), B: T.Buffer((4, 400000), "int32"), C: T.Buffer((4, 400000), "int32")):
        # with T.sblock("root"):
        for i in range(4):
            with T.sblock("row"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi, 0:400000], C[vi, 0:400000])
                T.writes(B[vi, 0:400000], C[vi, 0:400000])
                for j in range(400000):
                    with T.sblock("fill"):
                        vj = T.axis.spatial(400000, j)
                        T.reads(A[vi, vj])
                        T.writes(C[vi, vj])
                        C[vi, vj] = A[vi, vj] - 1
                for j in range(400000):
                    with T.sblock("back"):
                        vj = T.axis.spatial(400000, j)
                        T.where(C[vi, j] >= 0)
                        T.reads(C[vi, vj])
                        T.writes(B[vi, vj])
                        B[vi, vj] = C[vi, vj]

    @R.function
    def main(x: R.Tensor((4, 400000), dtype="int32")) -> R.Tensor((4, 400000), dtype="int32"):
        cls = Expected
        with R.dataflow():
            lv = R.call_tir(cls.kept_planned, (x,), out_ty=[R.Tensor((4, 400000), dtype="int32"), R.Tensor((4, 400000), dtype="int32")])
            gv: R.Tensor((4, 400000), dtype="int32") = lv[0]
            R.output(gv)
        return gv
