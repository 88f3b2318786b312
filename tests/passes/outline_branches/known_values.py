from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((4,), "float32"), t: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((), "float32"))):
        if c:
            y = x
        else:
            y = R.const([1, 2, 3, 4], "float32")
        if c:
            z = (y, R.const(1, "float32"))
        else:
            z = t
        return z


@I.ir_module
class Expected:
    @R.function(private=True)
    def main_else() -> R.Tensor((4,), dtype="float32"):
        return R.const([1.0, 2.0, 3.0, 4.0], "float32")

    @R.function(private=True)
    def main_else1(t: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((), dtype="float32"))) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((), dtype="float32")):
        return t

    @R.function(private=True)
    def main_then(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        return x

    @R.function(private=True)
    def main_then1(y: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((), dtype="float32")):
        return (y, R.const(1.0, "float32"))

    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32"), t: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((), dtype="float32"))) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((), dtype="float32")):
        cls = Expected
        if c:
            y: R.Tensor((4,), dtype="float32") = cls.main_then(x)
        else:
            y: R.Tensor((4,), dtype="float32") = cls.main_else()
        if c:
            z: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((), dtype="float32")) = cls.main_then1(y)
        else:
            z: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((), dtype="float32")) = cls.main_else1(t)
        return z
