# A custom op is read in place of its calls, with their numbers and sizes, and left out; other functions stay.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def op(x: R.Tensor(("n",), "float32"), times: R.Prim(value="k")) -> R.Tensor(("n", "k"), "float32"):
        R.func_attr({"sunmao.op": {"onnx": "my::Op"}})
        n, k = T.int64(), T.int64()
        with R.dataflow():
            a = R.reshape(x, R.shape([n, 1]))
            b = R.broadcast_to(a, R.shape([n, k]))
            R.output(b)
        return b

    @R.function(private=True)
    def other(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        with R.dataflow():
            y = R.negative(x)
            R.output(y)
        return y

    @R.function
    def main(x: R.Tensor(("m",), "float32")) -> R.Tensor(("m", 3), "float32"):
        cls = Before
        with R.dataflow():
            y = cls.other(x)
            z = cls.op(y, T.int64(3))
            R.output(z)
        return z


@I.ir_module
class Expected:
    @R.function(private=True)
    def other(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        with R.dataflow():
            y = R.negative(x)
            R.output(y)
        return y

    @R.function
    def main(x: R.Tensor(("m",), "float32")) -> R.Tensor(("m", 3), "float32"):
        m = T.int64()
        cls = Expected
        with R.dataflow():
            y = cls.other(x)
            a = R.reshape(y, R.shape([m, 1]))
            z = R.broadcast_to(a, R.shape([m, 3]))
            R.output(z)
        return z
