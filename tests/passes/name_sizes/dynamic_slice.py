# The sizes of a slice are computed from its bounds.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4, "m"), "float32"), begin: R.Tensor((2,), "int64"), end: R.Tensor((2,), "int64")):
        y = R.dynamic_strided_slice(x, begin, end, R.const([1, 1], "int64"))
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4, "m"), dtype="float32"), begin: R.Tensor((2,), dtype="int64"), end: R.Tensor((2,), dtype="int64")) -> R.Tensor(dtype="float32", ndim=2):
        m = T.int64()
        n = T.int64()
        n1 = T.int64()
        lv: R.Tensor((2,), dtype="int64") = R.dynamic_strided_slice_sizes(R.shape([4, m]), begin, end, R.const([1, 1], "int64"))
        shape: R.Shape(ndim=2) = R.tensor_to_shape(lv)
        sizes: R.Shape([n, n1]) = R.match_cast(shape, R.Shape([n, n1]))
        y: R.Tensor((n, n1), dtype="float32") = R.dynamic_strided_slice_sized(x, begin, R.const([1, 1], "int64"), R.shape([n, n1]))
        return y
