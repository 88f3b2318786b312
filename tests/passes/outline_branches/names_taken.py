# Names that the module has are not taken again.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main_then(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = R.exp(x)
        return y

    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        if c:
            y = R.add(x, x)
        else:
            y = x
        if c:
            z = R.exp(y)
        else:
            z = y
        return z


@I.ir_module
class Expected:
    @R.function(private=True)
    def main_else(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        return x

    @R.function(private=True)
    def main_else1(y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        return y

    @R.function
    def main_then(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y: R.Tensor((4,), dtype="float32") = R.exp(x)
        return y

    @R.function(private=True)
    def main_then1(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y: R.Tensor((4,), dtype="float32") = R.add(x, x)
        return y

    @R.function(private=True)
    def main_then2(y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        z: R.Tensor((4,), dtype="float32") = R.exp(y)
        return z

    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        if c:
            y: R.Tensor((4,), dtype="float32") = cls.main_then1(x)
        else:
            y: R.Tensor((4,), dtype="float32") = cls.main_else(x)
        if c:
            z: R.Tensor((4,), dtype="float32") = cls.main_then2(y)
        else:
            z: R.Tensor((4,), dtype="float32") = cls.main_else1(y)
        return z
