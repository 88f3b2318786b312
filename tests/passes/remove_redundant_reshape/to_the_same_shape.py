# A reshape to the shape at hand goes.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", 8), "float32")) -> R.Tensor(("n", 8), "float32"):
        n = T.int64()
        a = R.reshape(x, R.shape([n, 8]))
        b = R.add(a, x)
        return b


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n", 8), "float32")) -> R.Tensor(("n", 8), "float32"):
        b = R.add(x, x)
        return b
