# unchanged
# A stage without the mark, and a weight that the rest of the kernel reads as well.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def plain(X: T.Buffer((T.int64(8),), "float32"), W: T.Buffer((T.int64(8),), "float32"), O: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"tirx.noalias": True})
        P = T.sblock_alloc_buffer((T.int64(2), T.int64(4)), "float32")
        for i in range(T.int64(8)):
            with T.sblock("pack"):
                v = T.axis.spatial(T.int64(8), i)
                P[v // T.int64(4), v % T.int64(4)] = W[v]
        for i in range(T.int64(8)):
            with T.sblock("add"):
                v = T.axis.spatial(T.int64(8), i)
                O[v] = X[v] + P[v // T.int64(4), v % T.int64(4)]


    @T.prim_func(private=True)
    def both(X: T.Buffer((T.int64(8),), "float32"), W: T.Buffer((T.int64(8),), "float32"), O: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"tirx.noalias": True})
        P = T.sblock_alloc_buffer((T.int64(2), T.int64(4)), "float32")
        for i in range(T.int64(8)):
            with T.sblock("pack"):
                v = T.axis.spatial(T.int64(8), i)
                T.sblock_attr({"meta_schedule.layout_rewrite_preproc": True})
                P[v // T.int64(4), v % T.int64(4)] = W[v]
        for i in range(T.int64(8)):
            with T.sblock("add"):
                v = T.axis.spatial(T.int64(8), i)
                O[v] = X[v] + W[v] + P[v // T.int64(4), v % T.int64(4)]


    @R.function
    def main(x: R.Tensor((8,), "float32"), w: R.Tensor((8,), "float32")):
        with R.dataflow():
            a = R.call_tir(Before.plain, (x, w), out_ty=R.Tensor((8,), "float32"))
            y = R.call_tir(Before.both, (a, w), out_ty=R.Tensor((8,), "float32"))
            R.output(y)
        return y
