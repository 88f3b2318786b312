# The sized form of a call that the program casts is cast.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "bool")):
        m = T.int64()
        i = R.match_cast(R.nonzero(x), R.Tensor((1, m), "int64"))
        return i


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), dtype="bool")) -> R.Tensor(dtype="int64", ndim=2):
        n = T.int64()
        m = T.int64()
        lv: R.Tensor((4,), dtype="int64") = R.astype(x, dtype="int64")
        lv1: R.Tensor((), dtype="int64") = R.sum(lv)
        lv2: R.Tensor((1,), dtype="int64") = R.reshape(lv1, R.shape([1]))
        shape: R.Shape(ndim=1) = R.tensor_to_shape(lv2)
        sizes: R.Shape([n]) = R.match_cast(shape, R.Shape([n]))
        i: R.Tensor((1, m), dtype="int64") = R.match_cast(R.nonzero_sized(x, R.shape([n])), R.Tensor((1, m), dtype="int64"))
        return i
