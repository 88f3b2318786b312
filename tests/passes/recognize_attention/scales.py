# Scales of scores go to the queries; those of operands stay.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(q: R.Tensor((2, 3, "n", 4), "float32"), k: R.Tensor((2, 3, 4, "n"), "float32"), v: R.Tensor((2, 3, "n", 4), "float32"), c: R.Tensor((1,), "float32")):
        with R.dataflow():
            a = R.multiply(k, R.const(0.5, "float32"))
            s = R.matmul(q, a)
            s1 = R.divide(s, R.const(8.0, "float32"))
            s2 = R.multiply(c, s1)
            w = R.nn.softmax(s2)
            y = R.matmul(w, v)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(q: R.Tensor((2, 3, "n", 4), "float32"), k: R.Tensor((2, 3, 4, "n"), "float32"), v: R.Tensor((2, 3, "n", 4), "float32"), c: R.Tensor((1,), "float32")):
        with R.dataflow():
            a = R.multiply(k, R.const(0.5, "float32"))
            b = R.divide(q, R.const(8.0, "float32"))
            d = R.multiply(b, c)
            y = R.nn.product_attention(d, a, v)
            R.output(y)
        return y
