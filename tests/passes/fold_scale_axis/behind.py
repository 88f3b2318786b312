# A scale of channels behind a convolution goes through relu and bias into the weights, which are parameters.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 2, 4, 4), "float32"), w: R.Tensor((3, 2, 3, 3), "float32"), b: R.Tensor((3, 1, 1), "float32"), s: R.Tensor((3, 1, 1), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            c = R.nn.conv2d(x, w, padding=1)
            d = R.add(c, b)
            e = R.multiply(d, s)
            f = R.nn.relu(e)
            g = R.multiply(f, R.const(0.5, "float32"))
            R.output(g)
        return g


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 2, 4, 4), "float32"), w: R.Tensor((3, 2, 3, 3), "float32"), b: R.Tensor((3, 1, 1), "float32"), s: R.Tensor((3, 1, 1), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            v = R.reshape(s, (3,))
            p = R.expand_dims(v, axis=[1, 2, 3])
            w1 = R.multiply(w, p)
            b1 = R.multiply(b, s)
            w2 = R.multiply(w1, R.const(0.5, "float32"))
            c = R.nn.conv2d(x, w2, padding=1)
            b2 = R.multiply(b1, R.const(0.5, "float32"))
            d = R.add(c, b2)
            g = R.nn.relu(d)
            R.output(g)
        return g
