# The read of a weight that a function gives back stands in its last block.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((3,), "float32"), w: R.Tensor((3,), "float32")):
        R.func_attr({"num_input": 1})
        y = R.exp(x)
        return (y, w)


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((3,), dtype="float32"), model_params: R.Tuple(R.Tensor((3,), dtype="float32"))) -> R.Tuple(R.Tensor((3,), dtype="float32"), R.Tensor((3,), dtype="float32")):
        R.func_attr({"num_input": 1})
        y: R.Tensor((3,), dtype="float32") = R.exp(x)
        w: R.Tensor((3,), dtype="float32") = model_params[0]
        return (y, w)
