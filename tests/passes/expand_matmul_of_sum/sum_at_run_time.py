# A product with a sum becomes a sum of products.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((8,), "float32"), a: R.Tensor((8, 4), "float32"), b: R.Tensor((8, 4), "float32")):
        w = R.add(a, b)
        y = R.matmul(x, w)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((8,), "float32"), a: R.Tensor((8, 4), "float32"), b: R.Tensor((8, 4), "float32")):
        p = R.matmul(x, a)
        q = R.matmul(x, b)
        y = R.add(p, q)
        return y
