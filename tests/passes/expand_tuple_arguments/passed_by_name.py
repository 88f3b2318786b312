# A caller that has the tuple as a variable takes it apart.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(u: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"))) -> R.Tensor((4,), "float32"):
        cls = Before
        a = cls.inner(u)
        return a

    @R.function(private=True)
    def inner(t: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"))) -> R.Tensor((4,), "float32"):
        a = t[1]
        return a


@I.ir_module
class Expected:
    @R.function
    def main(u: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"))) -> R.Tensor((4,), "float32"):
        cls = Expected
        p = u[0]
        q = u[1]
        a = cls.inner(p, q)
        return a

    @R.function(private=True)
    def inner(t_0: R.Tensor((4,), "float32"), t_1: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return t_1
