# A kernel that cuts padding off, and a change of layout that puts padding on, undo one another.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def remove_pad(A: T.Buffer((T.int64(32),), "float32"), B: T.Buffer((T.int64(18),), "float32")):
        for i in range(T.int64(18)):
            with T.sblock("front"):
                v = T.axis.spatial(T.int64(18), i)
                B[v] = A[v]

    @R.function
    def main(y: R.Tensor((2, 16), "float32")):
        with R.dataflow():
            c = R.layout_transform(y, index_map=lambda i, j: (i * 16 + j,))
            d = R.call_tir(Before.remove_pad, (c,), out_ty=R.Tensor((18,), "float32"))
            e = R.layout_transform(d, index_map=lambda i: (i // 16, i % 16))
            f = R.exp(e)
            R.output(f)
        return f


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def remove_pad(A: T.Buffer((T.int64(32),), "float32"), B: T.Buffer((T.int64(18),), "float32")):
        for i in range(T.int64(18)):
            with T.sblock("front"):
                v = T.axis.spatial(T.int64(18), i)
                B[v] = A[v]

    @R.function
    def main(y: R.Tensor((2, 16), "float32")):
        with R.dataflow():
            f = R.exp(y)
            R.output(f)
        return f
