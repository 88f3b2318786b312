# unchanged
# What is inside a dataflow block cannot be reshaped behind it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 6), "float32")) -> R.Tensor((4, 3), "float32"):
        with R.dataflow():
            a = R.exp(x)
            b = R.reshape(a, (12,))
            R.output(b)
        with R.dataflow():
            c = R.reshape(b, (4, 3))
            R.output(c)
        return c
