# A result that is handed on by one that goes is untaken only then: the next run takes it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        t = Before.outer(x)
        a = t[0]
        return a

    @R.function(private=True)
    def outer(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        t = Before.inner(x)
        a = t[0]
        b = t[1]
        return (a, b)

    @R.function(private=True)
    def inner(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        a = R.add(x, x)
        b = R.nn.relu(x)
        return (a, b)


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        t = Expected.outer(x)
        return t

    @R.function(private=True)
    def outer(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        t = Expected.inner(x)
        a = t[0]
        return a

    @R.function(private=True)
    def inner(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        a = R.add(x, x)
        b = R.nn.relu(x)
        return (a, b)
