# The function of a branch takes what the branches inside it need, and calls their functions.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(c: R.Tensor((), "bool"), d: R.Tensor((), "bool"), x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32"), v: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        if c:
            a = R.exp(x)
            if d:
                b = R.multiply(a, w)
            else:
                b = R.subtract(v, a)
            y = R.add(b, b)
        else:
            if d:
                y = R.add(x, w)
            else:
                y = x
        return y


@I.ir_module
class Expected:
    @R.function(private=True)
    def main_else(d: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32"), w: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        if d:
            y: R.Tensor((4,), dtype="float32") = cls.main_else_then(x, w)
        else:
            y: R.Tensor((4,), dtype="float32") = cls.main_else_else(x)
        return y

    @R.function(private=True)
    def main_else_else(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        return x

    @R.function(private=True)
    def main_else_then(x: R.Tensor((4,), dtype="float32"), w: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y: R.Tensor((4,), dtype="float32") = R.add(x, w)
        return y

    @R.function(private=True)
    def main_then(x: R.Tensor((4,), dtype="float32"), d: R.Tensor((), dtype="bool"), w: R.Tensor((4,), dtype="float32"), v: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        a: R.Tensor((4,), dtype="float32") = R.exp(x)
        if d:
            b: R.Tensor((4,), dtype="float32") = cls.main_then_then(a, w)
        else:
            b: R.Tensor((4,), dtype="float32") = cls.main_then_else(v, a)
        y: R.Tensor((4,), dtype="float32") = R.add(b, b)
        return y

    @R.function(private=True)
    def main_then_else(v: R.Tensor((4,), dtype="float32"), a: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        b: R.Tensor((4,), dtype="float32") = R.subtract(v, a)
        return b

    @R.function(private=True)
    def main_then_then(a: R.Tensor((4,), dtype="float32"), w: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        b: R.Tensor((4,), dtype="float32") = R.multiply(a, w)
        return b

    @R.function
    def main(c: R.Tensor((), dtype="bool"), d: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32"), w: R.Tensor((4,), dtype="float32"), v: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        if c:
            y: R.Tensor((4,), dtype="float32") = cls.main_then(x, d, w, v)
        else:
            y: R.Tensor((4,), dtype="float32") = cls.main_else(d, x, w)
        return y
