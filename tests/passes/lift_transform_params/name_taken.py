# error
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T



@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 3), "float32")):
        R.func_attr({"num_input": 1})
        y = R.matmul(x, w)
        return y

    @R.function
    def main_transform_params(z: R.Tensor((3,), "float32")):  # E0503: `main_transform_params` is there already, and it
        return z
