# error: E0501: no function says how many of its parameters are run-time inputs
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T



@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 3), "float32")):
        y = R.matmul(x, w)
        return y
