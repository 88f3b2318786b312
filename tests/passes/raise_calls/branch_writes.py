# error
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def double(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        for i in range(n):
            with T.sblock("double"):
                v = T.axis.spatial(n, i)
                B[v] = A[v] + A[v]

    @R.function(pure=False)
    def main(x: R.Tensor((8,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((8,), "float32"):
        cls = Before
        a = R.builtin.alloc_tensor(R.shape([8]), "float32", 0)  # E1020: reads `a` after its memory has been written in a branch
        _ = cls.double(x, a)
        if c:
            _1 = cls.double(x, a)
            r = x
        else:
            r = x
        return a
