# A symbol that a cast compares with stays what the caller says.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor(ndim=1, dtype="float32"):
        n = T.int64()
        cls = Before
        a: R.Tensor((n,), "float32") = cls.inner(y, x)
        return a

    @R.function(private=True)
    def inner(y: R.Tensor(("n",), "float32"), x: R.Tensor((4,), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        z = R.zeros(R.shape([n]), "float32")
        t = R.match_cast(x, R.Tensor((n,), "float32"))
        a = R.add(z, t)
        return a


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor(ndim=1, dtype="float32"):
        n = T.int64()
        cls = Expected
        a: R.Tensor((n,), "float32") = cls.inner(x, R.shape([n]))
        return a

    @R.function(private=True)
    def inner(x: R.Tensor((4,), "float32"), param_n: R.Shape(["n"])) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        z = R.zeros(R.shape([n]), "float32")
        t = R.match_cast(x, R.Tensor((n,), "float32"))
        a = R.add(z, t)
        return a
