# What leads to no output follows what it needs.
# pass: topological-sort(direction=from-outputs)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            b2 = R.multiply(x, x)
            b1 = R.add(x, x)
            e = R.nn.relu(b1)
            f = R.nn.relu(b2)
            d = R.add(b1, b2)
            R.output(d)
        return d


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            b1 = R.add(x, x)
            e = R.nn.relu(b1)
            b2 = R.multiply(x, x)
            f = R.nn.relu(b2)
            d = R.add(b1, b2)
            R.output(d)
        return d
