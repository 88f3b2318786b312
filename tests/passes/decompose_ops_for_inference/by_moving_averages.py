# A batch norm for inference uses the moving averages; what it does not scale is not multiplied.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(
        x: R.Tensor((2, 3, 4), "float32"),
        gamma: R.Tensor((3,), "float32"),
        beta: R.Tensor((3,), "float32"),
        mean: R.Tensor((3,), "float32"),
        var: R.Tensor((3,), "float32"),
    ):
        with R.dataflow():
            bn = R.nn.batch_norm(x, gamma, beta, mean, var, axis=1, epsilon=0.5, scale=False)
            y = bn[0]
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(
        x: R.Tensor((2, 3, 4), "float32"),
        gamma: R.Tensor((3,), "float32"),
        beta: R.Tensor((3,), "float32"),
        mean: R.Tensor((3,), "float32"),
        var: R.Tensor((3,), "float32"),
    ):
        with R.dataflow():
            a = R.expand_dims(mean, axis=[0, 2])
            b = R.subtract(x, a)
            c = R.expand_dims(var, axis=[0, 2])
            d = R.add(c, R.const(0.5, "float32"))
            e = R.sqrt(d)
            f = R.divide(b, e)
            g = R.expand_dims(beta, axis=[0, 2])
            h = R.add(f, g)
            bn = (h, mean, var)
            y = bn[0]
            R.output(y)
        return y
