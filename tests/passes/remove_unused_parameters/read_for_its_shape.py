# A symbol that a parameter alone defined is passed as a shape.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor((8,), "float32")) -> R.Tensor(ndim=2, dtype="float32"):
        n = T.int64()
        cls = Before
        a: R.Tensor((n, 8 // n), "float32") = cls.inner(x, y)
        return a

    @R.function(private=True)
    def inner(x: R.Tensor(("n",), "float32"), y: R.Tensor((8,), "float32")) -> R.Tensor(("n", "8 // n"), "float32"):
        n = T.int64()
        a = R.reshape(y, R.shape([n, 8 // n]))
        return a


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor((8,), "float32")) -> R.Tensor(ndim=2, dtype="float32"):
        n = T.int64()
        cls = Expected
        a: R.Tensor((n, 8 // n), "float32") = cls.inner(y, R.shape([n]))
        return a

    @R.function(private=True)
    def inner(y: R.Tensor((8,), "float32"), param_n: R.Shape(["n"])) -> R.Tensor(("n", "8 // n"), "float32"):
        n = T.int64()
        a = R.reshape(y, R.shape([n, 8 // n]))
        return a
