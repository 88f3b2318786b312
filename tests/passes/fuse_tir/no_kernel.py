# error
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def fused(x: R.Tensor((8,), "float32")) -> R.Tensor((8,), "float32"):
        R.func_attr({"Primitive": True})
        with R.dataflow():
            y = R.exp(x)  # E0544: `fused` carries Primitive, and holds something else than calls of loop-level functions
            R.output(y)
        return y

    @R.function
    def main(x: R.Tensor((8,), "float32")) -> R.Tensor((8,), "float32"):
        with R.dataflow():
            y: R.Tensor((8,), "float32") = Before.fused(x)
            R.output(y)
        return y
