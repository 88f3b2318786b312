# A mask of what is hidden, over a bias; both are of queries, of which there are enough.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(q: R.Tensor((2, 8, 512, 64), "float32"), k: R.Tensor((2, 8, 64, 512), "float32"), v: R.Tensor((2, 8, 512, 64), "float32"), b: R.Tensor((8, 512, 512), "float32"), m: R.Tensor((1, 1, 512, 512), "bool")):
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
    def main(q: R.Tensor((2, 8, 512, 64), "float32"), k: R.Tensor((2, 8, 64, 512), "float32"), v: R.Tensor((2, 8, 512, 64), "float32"), b: R.Tensor((8, 512, 512), "float32"), m: R.Tensor((1, 1, 512, 512), "bool")):
        with R.dataflow():
            seen = R.logical_not(m)
            y = R.nn.product_attention(q, k, v, b, mask=seen)
            R.output(y)
        return y
