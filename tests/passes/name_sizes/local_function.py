# A function inside another keeps its signature.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        @R.function
        def inner(y: R.Tensor("float32", ndim=1)) -> R.Tensor("float32", ndim=1):
            z = R.exp(y)
            return z

        r = inner(x)
        q = R.negative(r)
        return q


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor(dtype="float32", ndim=1):
        n = T.int64()
        n1 = T.int64()
        @R.function
        def inner(y: R.Tensor(dtype="float32", ndim=1)) -> R.Tensor(dtype="float32", ndim=1):
            y1: R.Tensor((n,), dtype="float32") = R.match_cast(y, R.Tensor((n,), dtype="float32"))
            z: R.Tensor((n,), dtype="float32") = R.exp(y1)
            return z
        r: R.Tensor(dtype="float32", ndim=1) = inner(x)
        r1: R.Tensor((n1,), dtype="float32") = R.match_cast(r, R.Tensor((n1,), dtype="float32"))
        q: R.Tensor((n1,), dtype="float32") = R.negative(r1)
        return q
