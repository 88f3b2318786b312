# The value of a cast moves down to it, where nothing between uses it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def part(x: R.Tensor(("m",), "float32")) -> R.Tensor(ndim=1, dtype="float32"):
        y: R.Tensor(ndim=1, dtype="float32") = R.match_cast(x, R.Tensor(ndim=1, dtype="float32"))
        return y

    @R.function
    def main(x: R.Tensor(("m",), "float32")) -> R.Tensor(ndim=1, dtype="float32"):
        m = T.int64()
        n = T.int64()
        cls = Before
        a: R.Tensor(ndim=1, dtype="float32") = cls.part(x)
        y: R.Tensor(("m",), "float32") = R.exp(x)
        a1: R.Tensor((n,), "float32") = R.match_cast(a, R.Tensor((n,), "float32"))
        z: R.Tensor((n,), "float32") = R.multiply(a1, R.sum(y))
        return z


@I.ir_module
class Expected:
    @R.function(private=True)
    def main_rest(a1: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("m",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        m = T.int64()
        z: R.Tensor((n,), dtype="float32") = R.multiply(a1, R.sum(y))
        return z

    @R.function(private=True)
    def part(x: R.Tensor(("m",), dtype="float32")) -> R.Tensor(dtype="float32", ndim=1):
        m = T.int64()
        y: R.Tensor(dtype="float32", ndim=1) = R.match_cast(x, R.Tensor(dtype="float32", ndim=1))
        return y

    @R.function
    def main(x: R.Tensor(("m",), dtype="float32")) -> R.Tensor(dtype="float32", ndim=1):
        m = T.int64()
        cls = Expected
        y: R.Tensor((m,), dtype="float32") = R.exp(x)
        a: R.Tensor(dtype="float32", ndim=1) = cls.part(x)
        z: R.Tensor(dtype="float32", ndim=1) = cls.main_rest(a, y)
        return z
