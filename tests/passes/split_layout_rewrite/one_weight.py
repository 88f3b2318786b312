# The stage that packs a weight becomes a kernel of its own.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def scale(X: T.Buffer((T.int64(8),), "float32"), W: T.Buffer((T.int64(8),), "float32"), O: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"layout_free_buffers": [1], "tirx.noalias": True})
        P = T.sblock_alloc_buffer((T.int64(2), T.int64(4)), "float32")
        for i in range(T.int64(8)):
            with T.sblock("pack"):
                v = T.axis.spatial(T.int64(8), i)
                T.sblock_attr({"meta_schedule.layout_rewrite_preproc": True})
                P[v // T.int64(4), v % T.int64(4)] = W[v]
        for i in range(T.int64(8)):
            with T.sblock("add"):
                v = T.axis.spatial(T.int64(8), i)
                O[v] = X[v] + P[v // T.int64(4), v % T.int64(4)]


    @R.function
    def main(x: R.Tensor((8,), "float32"), w: R.Tensor((8,), "float32")):
        with R.dataflow():
            y = R.call_tir(Before.scale, (x, w), out_ty=R.Tensor((8,), "float32"))
            R.output(y)
        return y


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def scale_weight_prepack(W: T.Buffer((T.int64(8),), "float32"), P: T.Buffer((T.int64(2), T.int64(4)), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i in range(T.int64(8)):
            with T.sblock("pack"):
                v = T.axis.spatial(T.int64(8), i)
                P[v // T.int64(4), v % T.int64(4)] = W[v]


    @T.prim_func(private=True)
    def scale_prepacked(X: T.Buffer((T.int64(8),), "float32"), P: T.Buffer((T.int64(2), T.int64(4)), "float32"), O: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i in range(T.int64(8)):
            with T.sblock("add"):
                v = T.axis.spatial(T.int64(8), i)
                O[v] = X[v] + P[v // T.int64(4), v % T.int64(4)]


    @R.function
    def main(x: R.Tensor((8,), "float32"), w: R.Tensor((8,), "float32")):
        with R.dataflow():
            p = R.call_tir(Expected.scale_weight_prepack, (w,), out_ty=R.Tensor((2, 4), "float32"))
            q = R.call_tir(Expected.scale_prepacked, (x, p), out_ty=R.Tensor((8,), "float32"))
            y = q
            R.output(y)
        return y
