# A shape whose sizes are named stands in calls and types in terms of the names.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4, 5), "float32"), t: R.Tensor((2,), "int64")) -> R.Tensor("float32", ndim=2):
        s = R.tensor_to_shape(t)
        y = R.reshape(x, s)
        z: R.Tensor(s, "float32") = R.exp(y)
        return z


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4, 5), dtype="float32"), t: R.Tensor((2,), dtype="int64")) -> R.Tensor(dtype="float32", ndim=2):
        n = T.int64()
        n1 = T.int64()
        s: R.Shape(ndim=2) = R.tensor_to_shape(t)
        s1: R.Shape([n, n1]) = R.match_cast(s, R.Shape([n, n1]))
        y: R.Tensor((n, n1), dtype="float32") = R.reshape(x, R.shape([n, n1]))
        z: R.Tensor((n, n1), dtype="float32") = R.exp(y)
        return z
