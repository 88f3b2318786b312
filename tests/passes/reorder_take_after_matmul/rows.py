# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((8, 4), "float32"), i: R.Tensor((3,), "int64")) -> R.Tensor((2, 4), "float32"):
        t = R.take(w, i, axis=0)
        y = R.matmul(x, t)
        return y
