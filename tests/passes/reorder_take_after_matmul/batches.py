# One matrix of a table for each batch: all products, of which each batch takes its own.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((8, 1, 16), "float32"), w: R.Tensor(("n", 16, 32), "float32"), i: R.Tensor((8,), "int64")) -> R.Tensor((8, 1, 32), "float32"):
        t = R.take(w, i, axis=0)
        y = R.matmul(x, t)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((8, 1, 16), "float32"), w: R.Tensor(("n", 16, 32), "float32"), i: R.Tensor((8,), "int64")) -> R.Tensor((8, 1, 32), "float32"):
        n = T.int64()
        a = R.permute_dims(w, axes=[1, 0, 2])
        b = R.reshape(a, R.shape([16, n * 32]))
        c = R.matmul(x, b)
        d = R.reshape(c, R.shape([8, 1, n, 32]))
        e = R.take(d, i, axis=2)
        y = R.einsum((e,), "ijik->ijk")
        return y
