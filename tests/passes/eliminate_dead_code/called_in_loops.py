# A function that only a loop-level function calls stays.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def sum(x: T.float32, y: T.float32) -> T.float32:
        return x + y

    @T.prim_func(private=True)
    def twice(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = Before.sum(A[i], A[i])

    @T.prim_func(private=True)
    def unneeded(x: T.float32) -> T.float32:
        return x

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = R.call_tir(Before.twice, (x,), out_ty=R.Tensor((4,), "float32"))
        return y


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def sum(x: T.float32, y: T.float32) -> T.float32:
        return x + y

    @T.prim_func(private=True)
    def twice(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = Expected.sum(A[i], A[i])

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = R.call_tir(Expected.twice, (x,), out_ty=R.Tensor((4,), "float32"))
        return y
