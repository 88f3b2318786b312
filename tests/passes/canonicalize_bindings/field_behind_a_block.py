# The field of a tuple that a dataflow block gives out is given out itself.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        with R.dataflow():
            a = R.add(x, x)
            b = R.nn.relu(x)
            t = (a, b)
            R.output(t)
        c = t[0]
        return c


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            c = R.add(x, x)
            b = R.nn.relu(x)
            t = (c, b)
            R.output(c, t)
        return c
