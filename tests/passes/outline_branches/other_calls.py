# Calls on constants and computed sizes, and of kernels, become calls on variables.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def f(x: R.Tensor((4,), "float32"), s: R.Shape(["n"])) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        y = R.ones(R.shape([n]), "float32")
        return y

    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((4,), "float32"), v: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Before
        if c:
            y = cls.f(R.const([1, 2, 3, 4], "float32"), R.shape([n]))
        else:
            y = cls.f(x, R.shape([n + 1]))
        return y


@I.ir_module
class Expected:
    @R.function(private=True)
    def f(x: R.Tensor((4,), dtype="float32"), s: R.Shape(["n"])) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        y: R.Tensor((n,), dtype="float32") = R.ones(R.shape([n]), dtype="float32")
        return y

    @R.function(private=True)
    def main_else(x: R.Tensor((4,), dtype="float32"), symbols: R.Shape(["n"])) -> R.Tensor(("n + 1",), dtype="float32"):
        n = T.int64()
        cls = Expected
        y: R.Tensor((n + 1,), dtype="float32") = cls.f(x, R.shape([n + 1]))
        return y

    @R.function(private=True)
    def main_then(symbols: R.Shape(["n"])) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        cls = Expected
        y: R.Tensor((n,), dtype="float32") = cls.f(R.const([1.0, 2.0, 3.0, 4.0], "float32"), R.shape([n]))
        return y

    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32"), v: R.Tensor(("n",), dtype="float32")) -> R.Tensor(dtype="float32", ndim=1):
        n = T.int64()
        cls = Expected
        if c:
            y_1: R.Tensor((n,), dtype="float32") = cls.main_then(R.shape([n]))
            y: R.Tensor(dtype="float32", ndim=1) = y_1
        else:
            y_2: R.Tensor((n + 1,), dtype="float32") = cls.main_else(x, R.shape([n]))
            y: R.Tensor(dtype="float32", ndim=1) = y_2
        return y
