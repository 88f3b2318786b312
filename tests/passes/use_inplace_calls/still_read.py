# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((1, 3), "float32")):
        with R.dataflow():
            a = R.exp(x)
            b = R.reshape(a, R.shape([2, 3]))
            c = R.nn.relu(a)
            d = R.exp(y)
            e = R.add(d, b)
            t = (c, e)
            k = R.const([[1.0, 2.0, 3.0]], "float32")
            f = R.add(k, y)
            g = R.nn.relu(x)
            R.output(t, b, f, g)
        return (t, b, f, g)
