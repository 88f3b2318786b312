# Filters in groups take scales of the result, and none of the data.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 4, 5), "float32"), w: R.Tensor((6, 2, 3), "float32"), s: R.Tensor((4, 1), "float32"), t: R.Tensor((6, 1), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a = R.multiply(x, s)
            b = R.nn.conv1d(a, w, groups=2)
            c = R.divide(b, t)
            R.output(c)
        return c


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 4, 5), "float32"), w: R.Tensor((6, 2, 3), "float32"), s: R.Tensor((4, 1), "float32"), t: R.Tensor((6, 1), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a = R.multiply(x, s)
            v = R.reshape(t, (6,))
            p = R.expand_dims(v, axis=[1, 2])
            u = R.divide(w, p)
            c = R.nn.conv1d(a, u, groups=2)
            R.output(c)
        return c
