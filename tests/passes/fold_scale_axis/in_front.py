# A scale of the data goes into the rows of the weight, through a relu where it is positive.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 5), "float32"), s: R.Tensor((4,), "float32")):
        n = T.int64()
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a = R.multiply(x, R.const([1.0, 2.0, 3.0, 4.0], "float32"))
            b = R.nn.relu(a)
            c = R.divide(b, s)
            d = R.matmul(c, w)
            R.output(d)
        return d


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 5), "float32"), s: R.Tensor((4,), "float32")):
        n = T.int64()
        R.func_attr({"num_input": 1})
        with R.dataflow():
            p = R.expand_dims(s, axis=[1])
            v = R.divide(w, p)
            q = R.expand_dims(R.const([1.0, 2.0, 3.0, 4.0], "float32"), axis=[1])
            u = R.multiply(v, q)
            b = R.nn.relu(x)
            d = R.matmul(b, u)
            R.output(d)
        return d
