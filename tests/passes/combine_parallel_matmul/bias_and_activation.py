# Sums with biases and equal activations are taken along.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 8), "float32"), a: R.Tensor((8, 4), "float32"), b: R.Tensor((8, 6), "float32"), c: R.Tensor((4,), "float32"), d: R.Tensor((6,), "float32")):
        with R.dataflow():
            p = R.matmul(x, a)
            p1 = R.add(p, c)
            p2 = R.nn.relu(p1)
            q = R.matmul(x, b)
            q1 = R.add(q, d)
            q2 = R.nn.relu(q1)
            y = (p2, q2)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 8), "float32"), a: R.Tensor((8, 4), "float32"), b: R.Tensor((8, 6), "float32"), c: R.Tensor((4,), "float32"), d: R.Tensor((6,), "float32")):
        with R.dataflow():
            w = R.concat((a, b), axis=1)
            r = R.matmul(x, w, out_dtype="float32")
            e = R.concat((c, d), axis=0)
            r1 = R.add(r, e)
            r2 = R.nn.relu(r1)
            s = R.split(r2, indices_or_sections=[4], axis=1)
            p = s[0]
            q = s[1]
            y = (p, q)
            R.output(y)
        return y
