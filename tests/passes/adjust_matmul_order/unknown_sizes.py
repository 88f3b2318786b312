# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("m", "n"), "float32"), a: R.Tensor(("n", "p"), "float32"), b: R.Tensor(("p", "q"), "float32")):
        w = R.matmul(a, b)
        y = R.matmul(x, w)
        return y
