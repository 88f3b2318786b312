# unchanged
# Known sizes need no names.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4, "m"), "float32"), s: R.Shape(["m"])):
        m = T.int64()
        y = R.zeros(R.shape([m, 4]), "float32")
        z = R.matmul(x, y)
        return z
