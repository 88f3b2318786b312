# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def exp(x: T.handle, y: T.handle):
        n = T.int64()
        A = T.match_buffer(x, (n,))
        B = T.match_buffer(y, (n,))
        for i in range(n):
            with T.sblock("exp"):
                v = T.axis.spatial(n, i)
                B[v] = T.exp(A[v])

    @R.function(pure=False)
    def other(x: R.Tensor((8,), "float32")) -> R.Tensor((8,), "float32"):
        return x

    @R.function(pure=False)
    def main(x: R.Tensor((8,), "float32")):
        cls = Before
        a = R.builtin.alloc_tensor(R.shape([8]), "float32", 0)
        cls.exp(x, a)
        b = R.builtin.alloc_tensor(R.shape([8]), "float32", 0)
        cls.exp(x, b)
        c = cls.other(b)
        return (a, c)
