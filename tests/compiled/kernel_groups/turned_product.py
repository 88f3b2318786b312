from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @R.function
    def main(a: R.Tensor((64, 4), "float32"), b: R.Tensor(("n", 64), "float32")) -> R.Tensor((4, "n"), "float32"):
        n = T.int64()
        with R.dataflow():
            m = R.einsum((a, b), subscripts="ki,jk->ij")
            y = R.nn.relu(m)
            R.output(y)
        return y
