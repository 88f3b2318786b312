# error
# num_input counts parameters.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2,), "float32")):  # E0502: `main`: num_input must be a number from 0 to 1, got 2
        R.func_attr({"num_input": 2})
        return x
