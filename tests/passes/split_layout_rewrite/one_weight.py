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
    def scale_prepacked(X: T.Buffer((T.int64(8),), "float32"), P: T.Buffer((T.int64(2), T.int64(4)), "float32"), O: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i in range(T.int64(8)):
            with T.sblock("add"):
                v = T.axis.spatial(T.int64(8), i)
                T.reads(X[v], P[v // 4, v % 4])
                T.writes(O[v])
                O[v] = X[v] + P[v // 4, v % 4]

    @T.prim_func(private=True)
    def scale_weight_prepack(W: T.Buffer((T.int64(8),), "float32"), P: T.Buffer((T.int64(2), T.int64(4)), "float32")):
        T.func_attr({"sunmao.relayout": True, "tirx.noalias": True})
        # with T.sblock("root"):
        for i in range(T.int64(8)):
            with T.sblock("pack"):
                v = T.axis.spatial(T.int64(8), i)
                T.reads(W[v])
                T.writes(P[v // 4, v % 4])
                P[v // 4, v % 4] = W[v]

    @R.function
    def main(x: R.Tensor((8,), dtype="float32"), w: R.Tensor((8,), dtype="float32")) -> R.Tensor((8,), dtype="float32"):
        cls = Expected
        with R.dataflow():
            w_packed = R.call_tir(cls.scale_weight_prepack, (w,), out_ty=R.Tensor((2, 4), dtype="float32"))
            lv = R.call_tir(cls.scale_prepacked, (x, w_packed), out_ty=R.Tensor((8,), dtype="float32"))
            y: R.Tensor((8,), dtype="float32") = lv
            R.output(y)
        return y
