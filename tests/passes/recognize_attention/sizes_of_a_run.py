# Sizes that a run says: as many queries as keys.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(q: R.Tensor(("b", 8, "n", 64), "float32"), k: R.Tensor(("b", 8, 64, "n"), "float32"), v: R.Tensor(("b", 8, "n", 64), "float32"), m: R.Tensor(("b", 1, "n", "n"), "float32")):
        with R.dataflow():
            s = R.matmul(q, k)
            s1 = R.add(s, m)
            w = R.nn.softmax(s1)
            y = R.matmul(w, v)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(q: R.Tensor(("b", 8, "n", 64), "float32"), k: R.Tensor(("b", 8, 64, "n"), "float32"), v: R.Tensor(("b", 8, "n", 64), "float32"), m: R.Tensor(("b", 1, "n", "n"), "float32")):
        with R.dataflow():
            y = R.nn.product_attention(q, k, v, m)
            R.output(y)
        return y
