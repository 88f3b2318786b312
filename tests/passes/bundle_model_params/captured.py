# A local function reads what it captures.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2,), "float32"), w: R.Tensor((2,), "float32")):
        R.func_attr({"num_input": 1})

        @R.function
        def more(a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            b = R.add(a, w)
            return b

        y = more(x)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2,), dtype="float32"), model_params: R.Tuple(R.Tensor((2,), dtype="float32"))) -> R.Tensor((2,), dtype="float32"):
        R.func_attr({"num_input": 1})
        @R.function
        def more(a: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
            w: R.Tensor((2,), dtype="float32") = model_params[0]
            b: R.Tensor((2,), dtype="float32") = R.add(a, w)
            return b
        y: R.Tensor((2,), dtype="float32") = more(x)
        return y
