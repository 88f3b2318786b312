# How many elements are not 0 is counted, and the places are found by an op that is told the count.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4, "m"), "float32")):
        with R.dataflow():
            i = R.nonzero(x)
            y = R.permute_dims(i)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4, "m"), dtype="float32")) -> R.Tensor(dtype="int64", ndim=2):
        m = T.int64()
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((4, m), dtype="bool") = R.not_equal(x, T.float32(0.0))
            lv1: R.Tensor((4, m), dtype="int64") = R.astype(lv, dtype="int64")
            lv2: R.Tensor((), dtype="int64") = R.sum(lv1)
            lv3: R.Tensor((1,), dtype="int64") = R.reshape(lv2, R.shape([1]))
            shape: R.Shape(ndim=1) = R.tensor_to_shape(lv3)
            sizes: R.Shape([n]) = R.match_cast(shape, R.Shape([n]))
            i: R.Tensor((2, n), dtype="int64") = R.nonzero_sized(x, R.shape([n]))
            y: R.Tensor((n, 2), dtype="int64") = R.permute_dims(i)
            R.output(y)
        return y
