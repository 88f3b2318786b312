# unchanged
# A softmax along another axis, and guards that are none.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(q: R.Tensor((2, 3, "n", 4), "float32"), k: R.Tensor((2, 3, 4, "n"), "float32"), v: R.Tensor((2, 3, "n", 4), "float32")):
        with R.dataflow():
            s = R.matmul(q, k)
            w = R.nn.softmax(s, axis=2)
            y = R.matmul(w, v)
            s1 = R.matmul(q, k)
            w1 = R.nn.softmax(s1)
            n1 = R.isnan(w1)
            g1 = R.where(n1, R.const(1.0, "float32"), w1)
            y1 = R.matmul(g1, v)
            s2 = R.matmul(q, k)
            w2 = R.nn.softmax(s2)
            n2 = R.isnan(w2)
            g2 = R.where(n2, w2, R.const(0.0, "float32"))
            y2 = R.matmul(g2, v)
            o = (y, y1, y2)
            R.output(o)
        return o
