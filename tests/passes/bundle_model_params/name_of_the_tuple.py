# The tuple may have a name.
# pass: bundle-model-params(param_tuple_name=weights)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2,), "float32"), a: R.Tensor((2,), "float32")):
        R.func_attr({"num_input": 1})
        y = R.add(x, a)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2,), dtype="float32"), weights: R.Tuple(R.Tensor((2,), dtype="float32"))) -> R.Tensor((2,), dtype="float32"):
        R.func_attr({"num_input": 1})
        a: R.Tensor((2,), dtype="float32") = weights[0]
        y: R.Tensor((2,), dtype="float32") = R.add(x, a)
        return y
