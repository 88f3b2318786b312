# A binding that only renames goes, and so does a field of a tuple that is at hand.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T



@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            a = x
            t = (a, x)
            b = t[0]
            c = R.add(b, a)
            R.output(c)
        return c


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            t = (x, x)
            c = R.add(x, x)
            R.output(c)
        return c
