# Integers obey the laws of a ring.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n",), "int32")):
        n = T.int64()
        with R.dataflow():
            a = R.add(x, R.const(0, "int32"))
            b = R.multiply(x, R.const(0, "int32"))
            c = R.subtract(x, x)
            d = (a, b, c)
            R.output(d)
        return d


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n",), "int32")):
        n = T.int64()
        with R.dataflow():
            b = R.zeros((n,), "int32")
            c = R.zeros((n,), "int32")
            d = (x, b, c)
            R.output(d)
        return d
