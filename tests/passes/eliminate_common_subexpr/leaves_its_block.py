# A dataflow variable stands in inside its block; outside, the variable that leaves it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            a = R.add(x, x)
            b = R.add(x, x)
            c = R.multiply(a, b)
            R.output(b, c)
        d = R.add(x, x)
        e = R.add(b, d)
        return (c, e)


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            a = R.add(x, x)
            b = a
            c = R.multiply(a, a)
            R.output(b, c)
        d = b
        e = R.add(b, b)
        return (c, e)
