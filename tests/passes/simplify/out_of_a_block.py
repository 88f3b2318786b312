# What leaves a block keeps its name there; behind it nothing inside is named.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            a = R.exp(x)
            b = R.permute_dims(a)
            c = R.multiply(a, R.const(1.0, "float32"))
            R.output(b, c)
        with R.dataflow():
            d = R.permute_dims(b)
            e = R.add(c, d)
            R.output(e)
        return e


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            a = R.exp(x)
            b = R.permute_dims(a)
            c = a
            R.output(b, c)
        with R.dataflow():
            d = R.permute_dims(b)
            e = R.add(c, d)
            R.output(e)
        return e
