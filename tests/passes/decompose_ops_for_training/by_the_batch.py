# A batch norm for training uses the batch and moves the averages towards it.
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
            bn = R.nn.batch_norm(x, gamma, beta, mean, var, axis=1, epsilon=0.5, momentum=0.25, center=False)
            R.output(bn)
        return bn


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
            m = R.mean(x, axis=[0, 2])
            v = R.variance(x, axis=[0, 2])
            a = R.expand_dims(m, axis=[0, 2])
            b = R.subtract(x, a)
            c = R.expand_dims(v, axis=[0, 2])
            d = R.add(c, R.const(0.5, "float32"))
            e = R.sqrt(d)
            f = R.divide(b, e)
            g = R.expand_dims(gamma, axis=[0, 2])
            h = R.multiply(f, g)
            inner = (h, m, v)
            y = inner[0]
            i = R.multiply(R.const(0.75, "float32"), mean)
            j = R.multiply(R.const(0.25, "float32"), m)
            k = R.add(i, j)
            l = R.multiply(R.const(0.75, "float32"), var)
            n = R.multiply(R.const(0.25, "float32"), v)
            o = R.add(l, n)
            bn = (y, k, o)
            R.output(bn)
        return bn
