# New names are none that the function has.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(n: R.Tensor(("n1",), "float32")):
        i = R.nonzero(n)
        return i


@I.ir_module
class Expected:
    @R.function
    def main(n: R.Tensor(("n1",), dtype="float32")) -> R.Tensor(dtype="int64", ndim=2):
        n1 = T.int64()
        n2 = T.int64()
        lv: R.Tensor((n1,), dtype="bool") = R.not_equal(n, T.float32(0.0))
        lv1: R.Tensor((n1,), dtype="int64") = R.astype(lv, dtype="int64")
        lv2: R.Tensor((), dtype="int64") = R.sum(lv1)
        lv3: R.Tensor((1,), dtype="int64") = R.reshape(lv2, R.shape([1]))
        shape: R.Shape(ndim=1) = R.tensor_to_shape(lv3)
        sizes: R.Shape([n2]) = R.match_cast(shape, R.Shape([n2]))
        i: R.Tensor((1, n2), dtype="int64") = R.nonzero_sized(n, R.shape([n2]))
        return i
