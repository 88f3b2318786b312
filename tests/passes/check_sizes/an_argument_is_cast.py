# What a product needs of a size becomes a cast of its argument, and the results behind it say the size.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("b", "k"), "float32"), w: R.Tensor((16, 32), "float32")) -> R.Tensor(("b", 32), "float32"):
        with R.dataflow():
            y = R.matmul(x, w)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("b", "k"), "float32"), w: R.Tensor((16, 32), "float32")) -> R.Tensor(("b", 32), "float32"):
        b = T.int64()
        with R.dataflow():
            x1 = R.match_cast(x, R.Tensor((b, 16), "float32"))
            y = R.matmul(x1, w)
            R.output(y)
        return y
