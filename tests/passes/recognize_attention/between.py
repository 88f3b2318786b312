# unchanged
# Scales of columns or behind the bias, a second bias, a bias that widens the scores.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(q: R.Tensor((2, 3, "n", 4), "float32"), k: R.Tensor((2, 3, 4, "n"), "float32"), v: R.Tensor((2, 3, "n", 4), "float32"), m: R.Tensor(("n", "n"), "float32"), c: R.Tensor(("n",), "float32"), wide: R.Tensor((3, 1, 1, 1, "n"), "float32"), v5: R.Tensor((3, 2, 3, "n", 4), "float32")):
        with R.dataflow():
            s = R.matmul(q, k)
            t = R.multiply(s, c)
            w = R.nn.softmax(t)
            y = R.matmul(w, v)
            s1 = R.matmul(q, k)
            t1 = R.add(s1, m)
            u1 = R.multiply(t1, R.const(0.125, "float32"))
            w1 = R.nn.softmax(u1)
            y1 = R.matmul(w1, v)
            s2 = R.matmul(q, k)
            t2 = R.add(s2, m)
            u2 = R.add(t2, c)
            w2 = R.nn.softmax(u2)
            y2 = R.matmul(w2, v)
            s3 = R.matmul(q, k)
            t3 = R.add(s3, wide)
            w3 = R.nn.softmax(t3)
            y3 = R.matmul(w3, v5)
            o = (y, y1, y2, y3)
            R.output(o)
        return o
