# Many rows: the weights are multiplied first.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((64, 1, 16), "float32"), a: R.Tensor((16, 16), "float32"), b: R.Tensor((16, 32), "float32")):
        p = R.matmul(x, a)
        y = R.matmul(p, b)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((64, 1, 16), "float32"), a: R.Tensor((16, 16), "float32"), b: R.Tensor((16, 32), "float32")):
        w = R.matmul(a, b)
        y = R.matmul(x, w)
        return y
