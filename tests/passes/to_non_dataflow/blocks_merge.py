# Blocks become one plain block.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            a = R.add(x, x)
            b = R.nn.relu(a)
            R.output(b)
        c = R.add(b, b)
        return c


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        a = R.add(x, x)
        b = R.nn.relu(a)
        c = R.add(b, b)
        return c
