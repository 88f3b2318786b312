# Parameters name their own sizes. Results are typed in terms of them where they tell; the caller names the others.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def twice(x: R.Tensor("float32", ndim=2)) -> R.Tensor("float32", ndim=2):
        y = R.concat([x, x], axis=0)
        return y

    @R.function(private=True)
    def places(x: R.Tensor((8, 5), "float32")) -> R.Tuple(R.Tensor("int64", ndim=2), R.Tensor((3,), "int64")):
        i = R.nonzero(x)
        k = R.ones(R.shape([3]), "int64")
        return (i, k)

    @R.function
    def main(x: R.Tensor((4, 5), "float32")):
        cls = Before
        a = cls.twice(x)
        b = cls.places(a)
        c = b[0]
        d = R.permute_dims(c)
        return d


@I.ir_module
class Expected:
    @R.function(private=True)
    def places(x: R.Tensor((8, 5), dtype="float32")) -> R.Tuple(R.Tensor(dtype="int64", ndim=2), R.Tensor((3,), dtype="int64")):
        n = T.int64()
        lv: R.Tensor((8, 5), dtype="bool") = R.not_equal(x, T.float32(0.0))
        lv1: R.Tensor((8, 5), dtype="int64") = R.astype(lv, dtype="int64")
        lv2: R.Tensor((), dtype="int64") = R.sum(lv1)
        lv3: R.Tensor((1,), dtype="int64") = R.reshape(lv2, R.shape([1]))
        shape: R.Shape(ndim=1) = R.tensor_to_shape(lv3)
        sizes: R.Shape([n]) = R.match_cast(shape, R.Shape([n]))
        i: R.Tensor((2, n), dtype="int64") = R.nonzero_sized(x, R.shape([n]))
        k: R.Tensor((3,), dtype="int64") = R.ones(R.shape([3]), dtype="int64")
        return (i, k)

    @R.function(private=True)
    def twice(x: R.Tensor(("n", "n1"), dtype="float32")) -> R.Tensor(("n * 2", "n1"), dtype="float32"):
        n = T.int64()
        n1 = T.int64()
        y: R.Tensor((n * 2, n1), dtype="float32") = R.concat((x, x))
        return y

    @R.function
    def main(x: R.Tensor((4, 5), dtype="float32")) -> R.Tensor(dtype="int64", ndim=2):
        n = T.int64()
        n1 = T.int64()
        cls = Expected
        a: R.Tensor((8, 5), dtype="float32") = cls.twice(x)
        b: R.Tuple(R.Tensor(dtype="int64", ndim=2), R.Tensor((3,), dtype="int64")) = cls.places(a)
        b1: R.Tuple(R.Tensor((n, n1), dtype="int64"), R.Tensor((3,), dtype="int64")) = R.match_cast(b, R.Tuple(R.Tensor((n, n1), dtype="int64"), R.Tensor((3,), dtype="int64")))
        c: R.Tensor((n, n1), dtype="int64") = b1[0]
        d: R.Tensor((n1, n), dtype="int64") = R.permute_dims(c)
        return d
