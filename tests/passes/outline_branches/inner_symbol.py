# Sizes that a branch alone finds are unknown behind it, as they were.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor(("n",), "float32"), a: R.Tensor(ndim=1, dtype="float32")):
        k = T.int64()
        if c:
            q = R.match_cast(a, R.Tensor((k,), "float32"))
            o = R.ones(R.shape([k + 1]), "float32")
            z: R.Tensor(ndim=1, dtype="float32") = o
        else:
            z: R.Tensor(ndim=1, dtype="float32") = x
        return z


@I.ir_module
class Expected:
    @R.function(private=True)
    def main_else(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        return x

    @R.function(private=True)
    def main_then(a: R.Tensor(dtype="float32", ndim=1)) -> R.Tensor(dtype="float32", ndim=1):
        k = T.int64()
        q: R.Tensor((k,), dtype="float32") = R.match_cast(a, R.Tensor((k,), dtype="float32"))
        o: R.Tensor((k + 1,), dtype="float32") = R.ones(R.shape([k + 1]), dtype="float32")
        return o

    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor(("n",), dtype="float32"), a: R.Tensor(dtype="float32", ndim=1)) -> R.Tensor(dtype="float32", ndim=1):
        n = T.int64()
        cls = Expected
        if c:
            z: R.Tensor(dtype="float32", ndim=1) = cls.main_then(a)
        else:
            x_1: R.Tensor((n,), dtype="float32") = cls.main_else(x)
            z: R.Tensor(dtype="float32", ndim=1) = x_1
        return z
