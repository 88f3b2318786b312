# A cast of a shape that a tensor holds: the rest is given the shape.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("m",), "float32"), count: R.Tensor((1,), "int64")) -> R.Tensor(ndim=1, dtype="float32"):
        n = T.int64()
        s: R.Shape(ndim=1) = R.tensor_to_shape(count)
        s1: R.Shape([n]) = R.match_cast(s, R.Shape([n]))
        y: R.Tensor((n,), "float32") = R.ones(R.shape([n]), "float32")
        z: R.Tensor((n,), "float32") = R.exp(y)
        return z


@I.ir_module
class Expected:
    @R.function(private=True)
    def main_rest(s1: R.Shape(["n"])) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        y: R.Tensor((n,), dtype="float32") = R.ones(R.shape([n]), dtype="float32")
        z: R.Tensor((n,), dtype="float32") = R.exp(y)
        return z

    @R.function
    def main(x: R.Tensor(("m",), dtype="float32"), count: R.Tensor((1,), dtype="int64")) -> R.Tensor(dtype="float32", ndim=1):
        m = T.int64()
        cls = Expected
        s: R.Shape(ndim=1) = R.tensor_to_shape(count)
        z: R.Tensor(dtype="float32", ndim=1) = cls.main_rest(s)
        return z
