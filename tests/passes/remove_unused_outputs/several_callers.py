# What one of the callers takes stays; fields are counted anew.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Before
        t = cls.inner(x)
        a = t[0]
        return a

    @R.function
    def other(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Before
        t = cls.inner(x)
        a = t[2]
        return a

    @R.function(private=True)
    def inner(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        with R.dataflow():
            a = R.add(x, x)
            b = R.nn.relu(x)
            c = R.multiply(x, x)
            t = (a, b, c)
            R.output(t)
        return t


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Expected
        t = cls.inner(x)
        a = t[0]
        return a

    @R.function
    def other(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Expected
        t = cls.inner(x)
        a = t[1]
        return a

    @R.function(private=True)
    def inner(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        with R.dataflow():
            a = R.add(x, x)
            c = R.multiply(x, x)
            t = (a, c)
            R.output(t)
        return t
