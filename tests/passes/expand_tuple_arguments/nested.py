# Fields of fields become parameters.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Before
        a = cls.inner(((x, y), x))
        return a

    @R.function(private=True)
    def inner(
        t: R.Tuple(R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")), R.Tensor((4,), "float32"))
    ) -> R.Tensor((4,), "float32"):
        p = t[0]
        a = p[1]
        b = t[1]
        c = R.add(a, b)
        return c


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Expected
        a = cls.inner(x, y, x)
        return a

    @R.function(private=True)
    def inner(
        t_0_0: R.Tensor((4,), "float32"), t_0_1: R.Tensor((4,), "float32"), t_1: R.Tensor((4,), "float32")
    ) -> R.Tensor((4,), "float32"):
        c = R.add(t_0_1, t_1)
        return c
