# What follows prints, so the new function is impure.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(count: R.Tensor((1,), "int64")) -> R.Tensor(ndim=1, dtype="float32"):
        n = T.int64()
        s: R.Shape(ndim=1) = R.tensor_to_shape(count)
        s1: R.Shape([n]) = R.match_cast(s, R.Shape([n]))
        y: R.Tensor((n,), "float32") = R.ones(R.shape([n]), "float32")
        _: R.Tuple = R.print(y, format="{}")
        return y


@I.ir_module
class Expected:
    @R.function(pure=False, private=True)
    def main_rest(s1: R.Shape(["n"])) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        y: R.Tensor((n,), dtype="float32") = R.ones(R.shape([n]), dtype="float32")
        R.print(y, format=R.str("{}"))
        return y

    @R.function(pure=False)
    def main(count: R.Tensor((1,), dtype="int64")) -> R.Tensor(dtype="float32", ndim=1):
        cls = Expected
        s: R.Shape(ndim=1) = R.tensor_to_shape(count)
        y: R.Tensor(dtype="float32", ndim=1) = cls.main_rest(s)
        return y
