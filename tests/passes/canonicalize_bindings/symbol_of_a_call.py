# A symbol that is another one goes from what a call of a function returns, too.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def twice(x: R.Tensor(("k",), "float32")) -> R.Tensor(("k",), "float32"):
        k = T.int64()
        y: R.Tensor((k,), "float32") = R.add(x, x)
        return y

    @R.function
    def main(x: R.Tensor(("n",), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((), "float32"):
        n = T.int64()
        d = T.int64()
        cls = Before
        x1: R.Tensor((d,), "float32") = R.match_cast(x, R.Tensor((d,), "float32"))
        if c:
            y: R.Tensor((d,), "float32") = cls.twice(x1)
        else:
            y: R.Tensor((d,), "float32") = cls.twice(x1)
        z: R.Tensor((), "float32") = R.sum(y)
        return z


@I.ir_module
class Expected:
    @R.function(private=True)
    def twice(x: R.Tensor(("k",), dtype="float32")) -> R.Tensor(("k",), dtype="float32"):
        k = T.int64()
        y: R.Tensor((k,), dtype="float32") = R.add(x, x)
        return y

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor((), dtype="float32"):
        n = T.int64()
        cls = Expected
        if c:
            y: R.Tensor((n,), dtype="float32") = cls.twice(x)
        else:
            y: R.Tensor((n,), dtype="float32") = cls.twice(x)
        z: R.Tensor((), dtype="float32") = R.sum(y)
        return z
