# An effect stays with what it needs, though nothing reads its result.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        a = R.add(x, x)
        b = R.call_packed("effect", a, ty_args=(R.Tensor((4,), "float32"),))
        c = R.multiply(a, b)
        return x


@I.ir_module
class Expected:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        a = R.add(x, x)
        b = R.call_packed("effect", a, ty_args=(R.Tensor((4,), "float32"),))
        return x
