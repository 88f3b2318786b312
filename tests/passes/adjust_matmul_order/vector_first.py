# A vector goes through two thin matrices one after the other.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((16,), "float32"), a: R.Tensor((16, "r"), "float32"), b: R.Tensor(("r", 32), "float32")):
        w = R.matmul(a, b)
        y = R.matmul(x, w)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((16,), "float32"), a: R.Tensor((16, "r"), "float32"), b: R.Tensor(("r", 32), "float32")):
        p = R.matmul(x, a)
        y = R.matmul(p, b)
        return y
