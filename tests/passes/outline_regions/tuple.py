# A cast of a tuple: its fields go to the new function together.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def parts(x: R.Tensor(("m",), "float32")) -> R.Tuple(R.Tensor(ndim=1, dtype="float32"), R.Tensor((), "float32")):
        open: R.Tensor(ndim=1, dtype="float32") = R.match_cast(x, R.Tensor(ndim=1, dtype="float32"))
        y: R.Tensor((), "float32") = R.sum(x)
        return (open, y)

    @R.function
    def main(x: R.Tensor(("m",), "float32")) -> R.Tensor(ndim=1, dtype="float32"):
        n = T.int64()
        cls = Before
        a: R.Tuple(R.Tensor(ndim=1, dtype="float32"), R.Tensor((), "float32")) = cls.parts(x)
        a1 = R.match_cast(a, R.Tuple(R.Tensor((n,), "float32"), R.Tensor((), "float32")))
        b: R.Tensor((n,), "float32") = a1[0]
        c: R.Tensor((), "float32") = a1[1]
        z: R.Tensor((n,), "float32") = R.multiply(b, c)
        return z


@I.ir_module
class Expected:
    @R.function(private=True)
    def main_rest(a1: R.Tuple(R.Tensor(("n",), dtype="float32"), R.Tensor((), dtype="float32"))) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        b: R.Tensor((n,), dtype="float32") = a1[0]
        c: R.Tensor((), dtype="float32") = a1[1]
        z: R.Tensor((n,), dtype="float32") = R.multiply(b, c)
        return z

    @R.function(private=True)
    def parts(x: R.Tensor(("m",), dtype="float32")) -> R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Tensor((), dtype="float32")):
        m = T.int64()
        open: R.Tensor(dtype="float32", ndim=1) = R.match_cast(x, R.Tensor(dtype="float32", ndim=1))
        y: R.Tensor((), dtype="float32") = R.sum(x)
        return (open, y)

    @R.function
    def main(x: R.Tensor(("m",), dtype="float32")) -> R.Tensor(dtype="float32", ndim=1):
        m = T.int64()
        cls = Expected
        a: R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Tensor((), dtype="float32")) = cls.parts(x)
        z: R.Tensor(dtype="float32", ndim=1) = cls.main_rest(a)
        return z
