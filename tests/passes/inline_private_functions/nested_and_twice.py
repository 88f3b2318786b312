# A body that itself calls a private function, in two places.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Before
        a = cls.outer(x)
        b = cls.outer(a)
        return b

    @R.function(private=True)
    def outer(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Before
        y = cls.inner(x)
        z = R.add(y, x)
        return z

    @R.function(private=True)
    def inner(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = R.nn.relu(x)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        a = R.nn.relu(x)
        b = R.add(a, x)
        c = R.nn.relu(b)
        d = R.add(c, b)
        return d
