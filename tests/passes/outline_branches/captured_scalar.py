# A scalar that is no size is passed as a scalar.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(c: R.Tensor((), "bool"), a: R.Prim("int32"), k: R.Prim("int64")) -> R.Tensor((4,), "float32"):
        s = T.int32()
        b = R.match_cast(a, R.Prim(value=s))
        if c:
            y = R.full(R.shape([4]), R.prim_value(s * T.int32(2)), "float32")
        else:
            y = R.full(R.shape([4]), R.prim_value(k + 1), "float32")
        return y


@I.ir_module
class Expected:
    @R.function(private=True)
    def main_else(symbols: R.Shape(["k"])) -> R.Tensor((4,), dtype="float32"):
        k = T.int64()
        y: R.Tensor((4,), dtype="float32") = R.full(R.shape([4]), k + 1, dtype="float32")
        return y

    @R.function(private=True)
    def main_then(s_1: R.Prim(value="s")) -> R.Tensor((4,), dtype="float32"):
        s = T.int32()
        y: R.Tensor((4,), dtype="float32") = R.full(R.shape([4]), s * 2, dtype="float32")
        return y

    @R.function
    def main(c: R.Tensor((), dtype="bool"), a: T.int32, k: T.int64) -> R.Tensor((4,), dtype="float32"):
        s = T.int32()
        cls = Expected
        b: R.Prim(value=s) = R.match_cast(a, R.Prim(value=s))
        if c:
            y: R.Tensor((4,), dtype="float32") = cls.main_then(s)
        else:
            y: R.Tensor((4,), dtype="float32") = cls.main_else(R.shape([k]))
        return y
