# A transposed product is taken apart into transposed factors.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((16,), "float32"), a: R.Tensor((32, 2), "float32"), b: R.Tensor((2, 16), "float32")):
        w = R.matmul(a, b)
        t = R.permute_dims(w)
        y = R.matmul(x, t)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((16,), "float32"), a: R.Tensor((32, 2), "float32"), b: R.Tensor((2, 16), "float32")):
        p = R.permute_dims(b)
        q = R.matmul(x, p)
        r = R.permute_dims(a)
        y = R.matmul(q, r)
        return y
