# unchanged
# Sizes for which products are faster, or may be.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(q0: R.Tensor((64, 8, 1, 64), "float32"), k0: R.Tensor((64, 8, 64, 600), "float32"), v0: R.Tensor((64, 8, 600, 64), "float32"), q1: R.Tensor((1, 8, 64, 64), "float32"), k1: R.Tensor((1, 8, 64, 64), "float32"), v1: R.Tensor((1, 8, 64, 64), "float32"), q2: R.Tensor((3, "n", 300), "float32"), k2: R.Tensor((3, 300, "n"), "float32"), v2: R.Tensor((3, "n", 64), "float32"), q3: R.Tensor((8, "n", 64), "float32"), k3: R.Tensor((8, 64, "m"), "float32"), v3: R.Tensor((8, "m", 64), "float32"), q4: R.Tensor((8, "n", "d"), "float32"), k4: R.Tensor((8, "d", "n"), "float32"), v4: R.Tensor((8, "n", 64), "float32"), q5: R.Tensor((1, "n", 64), "float32"), k5: R.Tensor((8, 64, "n"), "float32"), v5: R.Tensor((8, "n", 64), "float32"), q7: R.Tensor((8, "n", 64), "float32"), k7: R.Tensor((8, 64, "n"), "float32"), v7: R.Tensor((8, "n", 64), "float32"), m: R.Tensor(("n", "n"), "float32")):
        with R.dataflow():
            # a single query
            s0 = R.matmul(q0, k0)
            w0 = R.nn.softmax(s0)
            y0 = R.matmul(w0, v0)
            # few scores
            s1 = R.matmul(q1, k1)
            w1 = R.nn.softmax(s1)
            y1 = R.matmul(w1, v1)
            # wide keys
            s2 = R.matmul(q2, k2)
            w2 = R.nn.softmax(s2)
            y2 = R.matmul(w2, v2)
            # queries that may be single
            s3 = R.matmul(q3, k3)
            w3 = R.nn.softmax(s3)
            y3 = R.matmul(w3, v3)
            # an unknown width
            s4 = R.matmul(q4, k4)
            w4 = R.nn.softmax(s4)
            y4 = R.matmul(w4, v4)
            # queries that heads share
            s5 = R.matmul(q5, k5)
            w5 = R.nn.softmax(s5)
            y5 = R.matmul(w5, v5)
            # keys that may be few, with a bias of each query
            s6 = R.matmul(q7, k7)
            t6 = R.add(s6, m)
            w6 = R.nn.softmax(t6)
            y6 = R.matmul(w6, v7)
            o = (y0, y1, y2, y3, y4, y5, y6)
            R.output(o)
        return o
