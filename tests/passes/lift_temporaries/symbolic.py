# A temporary of unknown size becomes a result that nobody reads; a small one stays.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def twice(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        with T.sblock("root"):
            C = T.sblock_alloc_buffer((n,), "float32")
            D = T.sblock_alloc_buffer((4,), "float32")
            for i in range(n):
                with T.sblock("C"):
                    vi = T.axis.spatial(n, i)
                    C[vi] = T.exp(A[vi])
            for i in range(n):
                with T.sblock("B"):
                    vi = T.axis.spatial(n, i)
                    B[vi] = C[vi] * C[n - 1 - vi] + D[0]

    @R.function
    def main(x: R.Tensor(("m", 2), "float32"), y: R.Tensor(("m",), "float32")):
        m = T.int64()
        cls = Before
        with R.dataflow():
            gv = R.call_tir(cls.twice, (y,), out_ty=R.Tensor((m,), "float32"))
            R.output(gv)
        return gv


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def twice(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        with T.sblock("root"):
            C = T.sblock_alloc_buffer((n,), "float32")
            D = T.sblock_alloc_buffer((4,), "float32")
            for i in range(n):
                with T.sblock("C"):
                    vi = T.axis.spatial(n, i)
                    C[vi] = T.exp(A[vi])
            for i in range(n):
                with T.sblock("B"):
                    vi = T.axis.spatial(n, i)
                    B[vi] = C[vi] * C[n - 1 - vi] + D[0]

    @T.prim_func(private=True)
    def twice_planned(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        C = T.match_buffer(c, (n,), "float32")
        with T.sblock("root"):
            D = T.sblock_alloc_buffer((4,), "float32")
            for i in range(n):
                with T.sblock("C"):
                    vi = T.axis.spatial(n, i)
                    C[vi] = T.exp(A[vi])
            for i in range(n):
                with T.sblock("B"):
                    vi = T.axis.spatial(n, i)
                    B[vi] = C[vi] * C[n - 1 - vi] + D[0]

    @R.function
    def main(x: R.Tensor(("m", 2), "float32"), y: R.Tensor(("m",), "float32")):
        m = T.int64()
        cls = Expected
        with R.dataflow():
            lv = R.call_tir(
                cls.twice_planned, (y,), out_ty=[R.Tensor((m,), "float32"), R.Tensor((m,), "float32")]
            )
            gv = lv[0]
            R.output(gv)
        return gv
