# A result that stands in place of an argument inside stands so outside.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def grow(a: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("grow"):
                v = T.axis.spatial(8, i)
                a[v] = T.exp(a[v])

    @R.function(private=True)
    def fused(x: R.Tensor((8,), "float32")) -> R.Tensor((8,), "float32"):
        R.func_attr({"Primitive": True})
        with R.dataflow():
            y = R.call_tir_inplace(Before.grow, (x,), inplace_indices=[0], out_ty=R.Tensor((8,), "float32"))
            R.output(y)
        return y

    @R.function
    def main(x: R.Tensor((8,), "float32")) -> R.Tensor((8,), "float32"):
        with R.dataflow():
            y: R.Tensor((8,), "float32") = Before.fused(x)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @T.prim_func(private=True, s_tir=True)
    def fused(x: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i in range(8):
            with T.sblock("grow"):
                v = T.axis.spatial(8, i)
                x[v] = T.exp(x[v])

    @R.function
    def main(x: R.Tensor((8,), "float32")) -> R.Tensor((8,), "float32"):
        with R.dataflow():
            y = R.call_tir_inplace(Expected.fused, (x,), inplace_indices=[0], out_ty=R.Tensor((8,), "float32"))
            R.output(y)
        return y
