# A tuple is passed as it is.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(c: R.Tensor((), "bool"), t: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"))) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        if c:
            a = t[0]
            b = t[1]
            s = R.add(a, b)
            y = (s, a)
        else:
            y = t
        return y


@I.ir_module
class Expected:
    @R.function(private=True)
    def main_else(t: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32"))) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")):
        return t

    @R.function(private=True)
    def main_then(t: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32"))) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")):
        a: R.Tensor((4,), dtype="float32") = t[0]
        b: R.Tensor((4,), dtype="float32") = t[1]
        s: R.Tensor((4,), dtype="float32") = R.add(a, b)
        return (s, a)

    @R.function
    def main(c: R.Tensor((), dtype="bool"), t: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32"))) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")):
        cls = Expected
        if c:
            y: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = cls.main_then(t)
        else:
            y: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = cls.main_else(t)
        return y
