# A layer norm over the last axes becomes simpler ops; over others its parameters would not broadcast, so it stays.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(
        x: R.Tensor((4, 4), "float32"), gamma: R.Tensor((4,), "float32"), beta: R.Tensor((4,), "float32")
    ):
        with R.dataflow():
            y = R.nn.layer_norm(x, gamma, beta, axes=[-1], epsilon=0.5)
            z = R.nn.layer_norm(y, gamma, beta, axes=[0], epsilon=0.5)
            R.output(z)
        return z


@I.ir_module
class Expected:
    @R.function
    def main(
        x: R.Tensor((4, 4), "float32"), gamma: R.Tensor((4,), "float32"), beta: R.Tensor((4,), "float32")
    ):
        with R.dataflow():
            a = R.mean(x, axis=[-1], keepdims=True)
            b = R.subtract(x, a)
            c = R.variance(x, axis=[-1], keepdims=True)
            d = R.add(c, R.const(0.5, "float32"))
            e = R.sqrt(d)
            f = R.divide(b, e)
            g = R.multiply(f, gamma)
            y = R.add(g, beta)
            z = R.nn.layer_norm(y, gamma, beta, axes=[0], epsilon=0.5)
            R.output(z)
        return z
