# A branch that gives a known value stays.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        if c:
            y = x
        else:
            y = R.add(x, x)
        return y


@I.ir_module
class Expected:
    @R.function(private=True)
    def main_else(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y: R.Tensor((4,), dtype="float32") = R.add(x, x)
        return y

    @R.function(private=True)
    def main_then(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        return x

    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        if c:
            y: R.Tensor((4,), dtype="float32") = cls.main_then(x)
        else:
            y: R.Tensor((4,), dtype="float32") = cls.main_else(x)
        return y
