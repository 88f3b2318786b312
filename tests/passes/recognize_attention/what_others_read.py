# unchanged
# Scores, weights, or a guard against NaN that others read.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(q: R.Tensor((2, 3, "n", 4), "float32"), k: R.Tensor((2, 3, 4, "n"), "float32"), v: R.Tensor((2, 3, "n", 4), "float32")):
        with R.dataflow():
            s1 = R.matmul(q, k)
            w1 = R.nn.softmax(s1)
            y1 = R.matmul(w1, v)
            s2 = R.matmul(q, k)
            w2 = R.nn.softmax(s2)
            y2 = R.matmul(w2, v)
            s3 = R.matmul(q, k)
            w3 = R.nn.softmax(s3)
            n = R.isnan(w3)
            g = R.where(n, R.const(0.0, "float32"), w3)
            y3 = R.matmul(g, v)
            o = (y1, s1, y2, w2, y3, n)
            R.output(o)
        return o
