# Columns are taken from the product instead of the weight.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 8), "float32"), w: R.Tensor((8, "n"), "float32"), i: R.Tensor((3,), "int64")) -> R.Tensor((2, 3), "float32"):
        with R.dataflow():
            t = R.take(w, i, axis=1)
            y = R.matmul(x, t)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 8), "float32"), w: R.Tensor((8, "n"), "float32"), i: R.Tensor((3,), "int64")) -> R.Tensor((2, 3), "float32"):
        with R.dataflow():
            p = R.matmul(x, w)
            y = R.take(p, i, axis=1)
            R.output(y)
        return y
