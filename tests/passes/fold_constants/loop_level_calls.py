# Calls of loop-level functions on constants fold wherever they stand; a tuple of results stays a value of its own.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def halves(A: T.Buffer((4,), "float32"), B: T.Buffer((2,), "float32"), C: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = A[i]
            C[i] = A[i + 2]

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Before
        a = R.call_tir(
            cls.halves,
            (R.const([1.0, 2.0, 3.0, 4.0], "float32"),),
            out_ty=[R.Tensor((2,), "float32"), R.Tensor((2,), "float32")],
        )
        b = R.call_tir(
            cls.halves, (x,), out_ty=[R.Tensor((2,), "float32"), R.Tensor((2,), "float32")]
        )
        return (a, b)


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def halves(A: T.Buffer((4,), "float32"), B: T.Buffer((2,), "float32"), C: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = A[i]
            C[i] = A[i + 2]

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Expected
        a = (R.const([1.0, 2.0], "float32"), R.const([3.0, 4.0], "float32"))
        b = R.call_tir(
            cls.halves, (x,), out_ty=[R.Tensor((2,), "float32"), R.Tensor((2,), "float32")]
        )
        return (a, b)
