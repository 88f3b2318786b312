# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((16,), "float32"), a: R.Tensor((16, 2), "float32"), b: R.Tensor((2, 32), "float32")):
        R.func_attr({"num_input": 1})
        w = R.matmul(a, b)
        y = R.matmul(x, w)
        return y
