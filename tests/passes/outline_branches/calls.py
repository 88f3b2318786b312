from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def f(x: R.Tensor(("2 * n",), "float32"), s: R.Shape(["n"])) -> R.Tensor(("2 * n",), "float32"):
        n = T.int64()
        y = R.add(x, x)
        return y

    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor(("n",), "float32"), v: R.Tensor(("2 * n",), "float32")):
        n = T.int64()
        cls = Before
        if c:
            y = cls.f(v, R.shape([n]))
        else:
            y = v
        return y


@I.ir_module
class Expected:
    @R.function(private=True)
    def f(x: R.Tensor(("2 * n",), dtype="float32"), s: R.Shape(["n"])) -> R.Tensor(("2 * n",), dtype="float32"):
        n = T.int64()
        y: R.Tensor((2 * n,), dtype="float32") = R.add(x, x)
        return y

    @R.function(private=True)
    def main_else(v: R.Tensor(("n * 2",), dtype="float32"), symbols: R.Shape(["n"])) -> R.Tensor(("n * 2",), dtype="float32"):
        n = T.int64()
        return v

    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor(("n",), dtype="float32"), v: R.Tensor(("2 * n",), dtype="float32")) -> R.Tensor(("n * 2",), dtype="float32"):
        n = T.int64()
        cls = Expected
        if c:
            y: R.Tensor((n * 2,), dtype="float32") = cls.f(v, R.shape([n]))
        else:
            v_1: R.Tensor((2 * n,), dtype="float32") = cls.main_else(v, R.shape([n]))
            y: R.Tensor((n * 2,), dtype="float32") = v_1
        return y
