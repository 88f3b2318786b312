# Sizes that are not written as 1 must be equal to be added; the type of the sum, unknown before, follows.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("m",), "float32")) -> R.Tensor(dtype="float32", ndim=1):
        with R.dataflow():
            a = R.add(x, y)
            b = R.exp(a)
            R.output(b)
        return b


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("m",), "float32")) -> R.Tensor(dtype="float32", ndim=1):
        m = T.int64()
        with R.dataflow():
            x1 = R.match_cast(x, R.Tensor((m,), "float32"))
            a = R.add(x1, y)
            b = R.exp(a)
            R.output(b)
        return b
