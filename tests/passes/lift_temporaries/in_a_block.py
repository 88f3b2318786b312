# A temporary of a block inside gets a part for each run of the block; a small one stays.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def reversed(a: T.handle, b: T.handle):
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (n, m), "float32")
        B = T.match_buffer(b, (n, m), "float32")
        with T.sblock("root"):
            for i in range(n):
                with T.sblock("row"):
                    vi = T.axis.spatial(n, i)
                    C = T.sblock_alloc_buffer((m,), "float32")
                    D = T.sblock_alloc_buffer((1,), "float32")
                    D[0] = T.float32(2)
                    for j in range(m):
                        C[j] = A[vi, j] * D[0]
                    for j in range(m):
                        B[vi, j] = C[m - 1 - j]

    @R.function
    def main(x: R.Tensor(("k", 5), "float32")):
        k = T.int64()
        cls = Before
        with R.dataflow():
            gv = R.call_tir(cls.reversed, (x,), out_ty=R.Tensor((k, 5), "float32"))
            R.output(gv)
        return gv


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def reversed(a: T.handle, b: T.handle):
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (n, m), "float32")
        B = T.match_buffer(b, (n, m), "float32")
        with T.sblock("root"):
            for i in range(n):
                with T.sblock("row"):
                    vi = T.axis.spatial(n, i)
                    C = T.sblock_alloc_buffer((m,), "float32")
                    D = T.sblock_alloc_buffer((1,), "float32")
                    D[0] = T.float32(2)
                    for j in range(m):
                        C[j] = A[vi, j] * D[0]
                    for j in range(m):
                        B[vi, j] = C[m - 1 - j]

    @T.prim_func(private=True)
    def reversed_planned(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (n, m), "float32")
        B = T.match_buffer(b, (n, m), "float32")
        C = T.match_buffer(c, (n, m), "float32")
        with T.sblock("root"):
            for i in range(n):
                with T.sblock("row"):
                    vi = T.axis.spatial(n, i)
                    T.reads(A[vi, 0:m], C[vi, 0:m])
                    T.writes(B[vi, 0:m], C[vi, 0:m])
                    D = T.sblock_alloc_buffer((1,), "float32")
                    D[0] = T.float32(2)
                    for j in range(m):
                        C[vi, j] = A[vi, j] * D[0]
                    for j in range(m):
                        B[vi, j] = C[vi, m - 1 - j]

    @R.function
    def main(x: R.Tensor(("k", 5), "float32")):
        k = T.int64()
        cls = Expected
        with R.dataflow():
            lv = R.call_tir(
                cls.reversed_planned, (x,), out_ty=[R.Tensor((k, 5), "float32"), R.Tensor((k, 5), "float32")]
            )
            gv = lv[0]
            R.output(gv)
        return gv
