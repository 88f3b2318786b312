# unchanged
# What is broadcast may have another shape than x, and what a run decides is not compared.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), u: R.Tensor(dtype="float32")):
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            a = R.multiply(u, R.const([[1.0]], "float32"))
            b = R.reshape(u, (n, 4))
            c = R.multiply(x, R.const([[[1.0]]], "float32"))
            d = (a, b, c)
            R.output(d)
        return d
