# error
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T



@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 3), "float32")):  # E0502: `main`: num_input must be a number from
        R.func_attr({"num_input": 3})
        y = R.matmul(x, w)
        return y
