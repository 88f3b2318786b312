# A temporary that moves is renamed in loops that are no serial ones as well.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def rows(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 8), "float32")
        B = T.match_buffer(b, (n, 8), "float32")
        with T.sblock("root"):
            for i in range(n):
                with T.sblock("row"):
                    vi = T.axis.spatial(n, i)
                    T.reads(A[vi, 0:8])
                    T.writes(B[vi, 0:8])
                    C = T.sblock_alloc_buffer((n,), "float32")
                    for j in range(8):
                        C[j] = A[vi, j]
                    for j in T.vectorized(8):
                        B[vi, j] = C[j]

    @R.function
    def main(x: R.Tensor(("m", 8), "float32")):
        m = T.int64()
        cls = Before
        with R.dataflow():
            gv = R.call_tir(cls.rows, (x,), out_ty=R.Tensor((m, 8), "float32"))
            R.output(gv)
        return gv


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def rows(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 8))
        B = T.match_buffer(b, (n, 8))
        # with T.sblock("root"):
        for i in range(n):
            with T.sblock("row"):
                vi = T.axis.spatial(n, i)
                T.reads(A[vi, 0:8])
                T.writes(B[vi, 0:8])
                C = T.sblock_alloc_buffer((n,))
                for j in range(8):
                    C[j] = A[vi, j]
                for j in T.vectorized(8):
                    B[vi, j] = C[j]

    @T.prim_func(private=True)
    def rows_planned(a: T.handle, b: T.handle, p_C: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 8))
        B = T.match_buffer(b, (n, 8))
        C = T.match_buffer(p_C, (n, n))
        # with T.sblock("root"):
        for i in range(n):
            with T.sblock("row"):
                vi = T.axis.spatial(n, i)
                T.reads(A[vi, 0:8], C[vi, 0:n])
                T.writes(B[vi, 0:8], C[vi, 0:n])
                for j in range(8):
                    C[vi, j] = A[vi, j]
                for j in T.vectorized(8):
                    B[vi, j] = C[vi, j]

    @R.function
    def main(x: R.Tensor(("m", 8), dtype="float32")) -> R.Tensor(("m", 8), dtype="float32"):
        m = T.int64()
        cls = Expected
        with R.dataflow():
            lv = R.call_tir(cls.rows_planned, (x,), out_ty=[R.Tensor((m, 8), dtype="float32"), R.Tensor((m, m), dtype="float32")])
            gv: R.Tensor((m, 8), dtype="float32") = lv[0]
            R.output(gv)
        return gv
