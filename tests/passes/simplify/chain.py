# One rule makes way for the next: nothing is left but the exponential.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")):
        n = T.int64()
        with R.dataflow():
            a = R.permute_dims(x)
            b = R.multiply(a, R.const(1.0, "float32"))
            c = R.permute_dims(b)
            d = R.negative(c)
            e = R.reshape(d, (n, 2, 2))
            f = R.reshape(e, (n, 4))
            g = R.negative(f)
            h = R.exp(g)
            R.output(h)
        return h


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")):
        n = T.int64()
        with R.dataflow():
            a = R.permute_dims(x)
            d = R.negative(x)
            e = R.reshape(d, (n, 2, 2))
            h = R.exp(x)
            R.output(h)
        return h
