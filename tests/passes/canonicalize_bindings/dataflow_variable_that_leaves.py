# A dataflow variable with a name that leaves the block is defined under that name.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            a = R.add(x, x)
            b = R.add(a, a)
            c = a
            R.output(b, c)
        return (b, c)


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            c = R.add(x, x)
            b = R.add(c, c)
            R.output(b, c)
        return (b, c)
