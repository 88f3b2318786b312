# A cast of what a function returns; symbols that it names and that are known are checked by the new function.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def part(x: R.Tensor(("m", "k"), "float32")) -> R.Tensor(ndim=2, dtype="float32"):
        y: R.Tensor(ndim=2, dtype="float32") = R.match_cast(x, R.Tensor(ndim=2, dtype="float32"))
        return y

    @R.function
    def main(x: R.Tensor(("m", "k"), "float32"), w: R.Tensor(("k",), "float32")) -> R.Tensor(ndim=2, dtype="float32"):
        m = T.int64()
        k = T.int64()
        n = T.int64()
        cls = Before
        half: R.Tensor(("m", "k"), "float32") = R.multiply(x, R.const(0.5, "float32"))
        y: R.Tensor(ndim=2, dtype="float32") = cls.part(half)
        y1: R.Tensor((n, k), "float32") = R.match_cast(y, R.Tensor((n, k), "float32"))
        z: R.Tensor((n, k), "float32") = R.add(y1, w)
        return z


@I.ir_module
class Expected:
    @R.function(private=True)
    def main_rest(y1: R.Tensor(("n", "k"), dtype="float32"), w: R.Tensor(("k",), dtype="float32")) -> R.Tensor(("n", "k"), dtype="float32"):
        n = T.int64()
        k = T.int64()
        z: R.Tensor((n, k), dtype="float32") = R.add(y1, w)
        return z

    @R.function(private=True)
    def part(x: R.Tensor(("m", "k"), dtype="float32")) -> R.Tensor(dtype="float32", ndim=2):
        m = T.int64()
        k = T.int64()
        y: R.Tensor(dtype="float32", ndim=2) = R.match_cast(x, R.Tensor(dtype="float32", ndim=2))
        return y

    @R.function
    def main(x: R.Tensor(("m", "k"), dtype="float32"), w: R.Tensor(("k",), dtype="float32")) -> R.Tensor(dtype="float32", ndim=2):
        m = T.int64()
        k = T.int64()
        cls = Expected
        half: R.Tensor((m, k), dtype="float32") = R.multiply(x, R.const(0.5, "float32"))
        y: R.Tensor(dtype="float32", ndim=2) = cls.part(half)
        z: R.Tensor(dtype="float32", ndim=2) = cls.main_rest(y, w)
        return z
