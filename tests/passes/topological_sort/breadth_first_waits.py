# A binding waits for the step behind all that it needs.
# pass: topological-sort(order=breadth-first)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            b1 = R.add(x, x)
            c1 = R.add(x, b1)
            b2 = R.multiply(x, x)
            c2 = R.add(x, b2)
            d = R.add(c1, c2)
            R.output(d)
        return d


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            b1 = R.add(x, x)
            b2 = R.multiply(x, x)
            c1 = R.add(x, b1)
            c2 = R.add(x, b2)
            d = R.add(c1, c2)
            R.output(d)
        return d
