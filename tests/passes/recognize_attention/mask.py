# Scores that a mask replaces by a number.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(q: R.Tensor((2, 3, "n", 4), "float32"), k: R.Tensor((2, 3, 4, "n"), "float32"), v: R.Tensor((2, 3, "n", 4), "float32"), m: R.Tensor(("n",), "bool")):
        with R.dataflow():
            s = R.matmul(q, k)
            s1 = R.where(m, s, R.const(-10000.0, "float32"))
            w = R.nn.softmax(s1)
            y = R.matmul(w, v)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(q: R.Tensor((2, 3, "n", 4), "float32"), k: R.Tensor((2, 3, 4, "n"), "float32"), v: R.Tensor((2, 3, "n", 4), "float32"), m: R.Tensor(("n",), "bool")):
        with R.dataflow():
            y = R.nn.product_attention(q, k, v, mask=m, hidden=-10000.0)
            R.output(y)
        return y
