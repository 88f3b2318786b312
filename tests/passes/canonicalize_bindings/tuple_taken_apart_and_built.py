# A tuple of all the fields of another one, in their order, is that one.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(t: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"))):
        a = t[0]
        b = t[1]
        u = (a, b)
        v = (b, a)
        return (u, v)


@I.ir_module
class Expected:
    @R.function
    def main(t: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"))):
        a = t[0]
        b = t[1]
        v = (b, a)
        return (t, v)
