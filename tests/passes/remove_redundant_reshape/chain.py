# A reshape of a reshape reads what the first one read.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 8, 1), "float32")) -> R.Tensor((8,), "float32"):
        with R.dataflow():
            a = R.reshape(x, R.shape([1, 8]))
            b = R.reshape(a, R.shape([8]))
            R.output(b)
        return b


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 8, 1), "float32")) -> R.Tensor((8,), "float32"):
        with R.dataflow():
            a = R.reshape(x, R.shape([1, 8]))
            b = R.reshape(x, R.shape([8]))
            R.output(b)
        return b
