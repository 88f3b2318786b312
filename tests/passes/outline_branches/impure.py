# The function of a branch with effects is impure.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(c: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        if c:
            p = R.print(x, format="x: {}")
            y = R.exp(x)
        else:
            y = R.add(x, x)
        return y

    @R.function(pure=False)
    def recursive(c: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Before
        if c:
            z = R.add(x, x)
            y: R.Tensor((4,), "float32") = cls.recursive(c, z)
        else:
            y = R.add(x, x)
        return y


@I.ir_module
class Expected:
    @R.function(private=True)
    def main_else(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y: R.Tensor((4,), dtype="float32") = R.add(x, x)
        return y

    @R.function(pure=False, private=True)
    def main_then(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.print(x, format=R.str("x: {}"))
        y: R.Tensor((4,), dtype="float32") = R.exp(x)
        return y

    @R.function(pure=False)
    def recursive(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        if c:
            y: R.Tensor((4,), dtype="float32") = cls.recursive_then(x, c)
        else:
            y: R.Tensor((4,), dtype="float32") = cls.recursive_else(x)
        return y

    @R.function(private=True)
    def recursive_else(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y: R.Tensor((4,), dtype="float32") = R.add(x, x)
        return y

    @R.function(pure=False, private=True)
    def recursive_then(x: R.Tensor((4,), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        z: R.Tensor((4,), dtype="float32") = R.add(x, x)
        y: R.Tensor((4,), dtype="float32") = cls.recursive(c, z)
        return y

    @R.function(pure=False)
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        if c:
            y: R.Tensor((4,), dtype="float32") = cls.main_then(x)
        else:
            y: R.Tensor((4,), dtype="float32") = cls.main_else(x)
        return y
