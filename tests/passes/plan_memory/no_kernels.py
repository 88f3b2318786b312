# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((40,), "float32")) -> R.Tensor((40,), "float32"):
        y = R.add(x, x)
        return y
