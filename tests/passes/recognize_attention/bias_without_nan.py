# A bias of keys, and weights that are NaN count as 0.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(q: R.Tensor((2, 3, "n", 4), "float32"), k: R.Tensor((2, 3, 4, "n"), "float32"), v: R.Tensor((2, 3, "n", 4), "float32"), m: R.Tensor((2, 1, 1, "n"), "float32")):
        with R.dataflow():
            s = R.matmul(q, k)
            s1 = R.multiply(s, R.const(0.125, "float32"))
            s2 = R.add(m, s1)
            w = R.nn.softmax(s2)
            n = R.isnan(w)
            w1 = R.where(n, R.const(0.0, "float32"), w)
            y = R.matmul(w1, v)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(q: R.Tensor((2, 3, "n", 4), "float32"), k: R.Tensor((2, 3, 4, "n"), "float32"), v: R.Tensor((2, 3, "n", 4), "float32"), m: R.Tensor((2, 1, 1, "n"), "float32")):
        with R.dataflow():
            b = R.multiply(q, R.const(0.125, "float32"))
            y = R.nn.product_attention(b, k, v, m, nan_as_zero=True)
            R.output(y)
        return y
