# What both branches leave open is named behind them; names of a branch stay in it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((4, 5), "float32")):
        if c:
            i = R.nonzero(x)
            r = R.permute_dims(i)
        else:
            r = R.ones(R.shape([4, 2]), "int64")
        y = R.negative(r)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((4, 5), dtype="float32")) -> R.Tensor(dtype="int64", ndim=2):
        n = T.int64()
        n1 = T.int64()
        n2 = T.int64()
        if c:
            lv: R.Tensor((4, 5), dtype="bool") = R.not_equal(x, T.float32(0.0))
            lv1: R.Tensor((4, 5), dtype="int64") = R.astype(lv, dtype="int64")
            lv2: R.Tensor((), dtype="int64") = R.sum(lv1)
            lv3: R.Tensor((1,), dtype="int64") = R.reshape(lv2, R.shape([1]))
            shape: R.Shape(ndim=1) = R.tensor_to_shape(lv3)
            sizes: R.Shape([n]) = R.match_cast(shape, R.Shape([n]))
            i: R.Tensor((2, n), dtype="int64") = R.nonzero_sized(x, R.shape([n]))
            r_1: R.Tensor((n, 2), dtype="int64") = R.permute_dims(i)
            r: R.Tensor(dtype="int64", ndim=2) = r_1
        else:
            r_2: R.Tensor((4, 2), dtype="int64") = R.ones(R.shape([4, 2]), dtype="int64")
            r: R.Tensor(dtype="int64", ndim=2) = r_2
        r3: R.Tensor((n1, n2), dtype="int64") = R.match_cast(r, R.Tensor((n1, n2), dtype="int64"))
        y: R.Tensor((n1, n2), dtype="int64") = R.negative(r3)
        return y
