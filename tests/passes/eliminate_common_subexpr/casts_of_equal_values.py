# The second name of a size is cast from the first.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(t: R.Tensor((1,), "int64")):
        m = T.int64()
        n = T.int64()
        s = R.tensor_to_shape(t)
        s1 = R.match_cast(s, R.Shape([m]))
        a = R.zeros(R.shape([m]), "float32")
        r = R.tensor_to_shape(t)
        r1 = R.match_cast(r, R.Shape([n]))
        b = R.zeros(R.shape([n]), "float32")
        return (a, b)


@I.ir_module
class Expected:
    @R.function
    def main(t: R.Tensor((1,), dtype="int64")) -> R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Tensor(dtype="float32", ndim=1)):
        m = T.int64()
        n = T.int64()
        s: R.Shape(ndim=1) = R.tensor_to_shape(t)
        s1: R.Shape([m]) = R.match_cast(s, R.Shape([m]))
        a: R.Tensor((m,), dtype="float32") = R.zeros(R.shape([m]), dtype="float32")
        r: R.Shape(ndim=1) = s
        r1: R.Shape([n]) = R.match_cast(s1, R.Shape([n]))
        b: R.Tensor((n,), dtype="float32") = R.zeros(R.shape([n]), dtype="float32")
        return (a, b)
