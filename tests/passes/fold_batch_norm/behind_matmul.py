# A batch norm behind a matmul scales the columns of the weight.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((3, 4), "float32"), w: R.Tensor((4, 2), "float32"), gamma: R.Tensor((2,), "float32"), beta: R.Tensor((2,), "float32"), mean: R.Tensor((2,), "float32"), var: R.Tensor((2,), "float32")):
        with R.dataflow():
            c = R.matmul(x, w)
            bn = R.nn.batch_norm(c, gamma, beta, mean, var, axis=1, epsilon=0.5)
            y = bn[0]
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((3, 4), "float32"), w: R.Tensor((4, 2), "float32"), gamma: R.Tensor((2,), "float32"), beta: R.Tensor((2,), "float32"), mean: R.Tensor((2,), "float32"), var: R.Tensor((2,), "float32")):
        with R.dataflow():
            a = R.add(var, R.const(0.5, "float32"))
            b = R.sqrt(a)
            s = R.divide(gamma, b)
            e = R.expand_dims(s, axis=[0])
            v = R.multiply(w, e)
            m = R.multiply(mean, s)
            d = R.subtract(beta, m)
            c = R.matmul(x, v)
            f = R.expand_dims(d, axis=[0])
            y = R.add(c, f)
            R.output(y)
        return y
