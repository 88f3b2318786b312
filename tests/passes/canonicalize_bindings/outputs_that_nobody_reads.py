# An output that only its block reads becomes local; one that another block reads stays.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            a = R.add(x, x)
            b = R.add(a, a)
            R.output(a, b)
        e = R.call_packed("effect", x, ty_args=(R.Tensor((4,), "float32"),))
        with R.dataflow():
            c = R.add(b, e)
            R.output(c)
        return c


@I.ir_module
class Expected:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            a = R.add(x, x)
            b = R.add(a, a)
            R.output(b)
        e = R.call_packed("effect", x, ty_args=(R.Tensor((4,), "float32"),))
        with R.dataflow():
            c = R.add(b, e)
            R.output(c)
        return c
