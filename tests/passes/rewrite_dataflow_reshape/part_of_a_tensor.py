# unchanged
# Fewer elements than before are no reshape.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def front(A: T.Buffer((T.int64(24),), "float32"), B: T.Buffer((T.int64(20),), "float32")):
        for i in range(T.int64(20)):
            with T.sblock("front"):
                v = T.axis.spatial(T.int64(20), i)
                T.reads(A[v])
                T.writes(B[v])
                B[v] = A[v]

    @R.function
    def main(x: R.Tensor((24,), "float32")):
        with R.dataflow():
            a = R.call_tir(Before.front, (x,), out_ty=R.Tensor((20,), "float32"))
            b = R.exp(a)
            R.output(b)
        return b
