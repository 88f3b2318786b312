# unchanged
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

    @R.function
    def main(x: R.Tensor((8,), "float32")) -> R.Tensor((8,), "float32"):
        cls = Before
        y = R.call_tir(cls.double, (x,), out_ty=R.Tensor((8,), "float32"))
        return y
