# A function that states another size than its body says checks that they are the same.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("m",), "float32")) -> R.Tensor(("n",), "float32"):
        z = R.exp(y)
        return z


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("m",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        z = R.exp(y)
        result = R.match_cast(z, R.Tensor((n,), "float32"))
        return result
