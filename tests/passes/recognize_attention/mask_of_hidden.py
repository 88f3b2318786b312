# A mask of what is hidden, over a bias.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(q: R.Tensor((2, 3, "n", 4), "float32"), k: R.Tensor((2, 3, 4, "n"), "float32"), v: R.Tensor((2, 3, "n", 4), "float32"), b: R.Tensor((3, 1, "n"), "float32"), m: R.Tensor((1, 1, 1, "n"), "bool")):
        with R.dataflow():
            s = R.matmul(q, k)
            s1 = R.add(s, b)
            s2 = R.where(m, R.const(-float("inf"), "float32"), s1)
            w = R.nn.softmax(s2)
            y = R.matmul(w, v)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(q: R.Tensor((2, 3, "n", 4), "float32"), k: R.Tensor((2, 3, 4, "n"), "float32"), v: R.Tensor((2, 3, "n", 4), "float32"), b: R.Tensor((3, 1, "n"), "float32"), m: R.Tensor((1, 1, 1, "n"), "bool")):
        with R.dataflow():
            seen = R.logical_not(m)
            y = R.nn.product_attention(q, k, v, b, mask=seen)
            R.output(y)
        return y
