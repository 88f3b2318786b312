# A transposition goes into the sum.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((8,), "float32"), a: R.Tensor((4, 8), "float32"), b: R.Tensor((4, 8), "float32")):
        s = R.add(a, b)
        w = R.permute_dims(s)
        y = R.matmul(x, w)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((8,), "float32"), a: R.Tensor((4, 8), "float32"), b: R.Tensor((4, 8), "float32")):
        v = R.permute_dims(a)
        p = R.matmul(x, v)
        w = R.permute_dims(b)
        q = R.matmul(x, w)
        y = R.add(p, q)
        return y
