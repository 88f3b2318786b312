# Results that take the place of an argument get no memory; the others do.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def fill(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            A[i] = A[i] + T.float32(1)
            B[i] = A[i]

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        R.func_attr({"relax.force_pure": True})
        cls = Before
        y = R.call_tir_inplace(
            cls.fill, (x,), [0, -1], out_ty=[R.Tensor((4,), "float32"), R.Tensor((4,), "float32")]
        )
        return y


@I.ir_module
class Expected:
    @T.prim_func
    def fill(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            A[i] = A[i] + T.float32(1)
            B[i] = A[i]

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        R.func_attr({"relax.force_pure": True})
        cls = Expected
        alloc = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), 0, R.str("global"), ty_args=(R.Tensor((4,), "float32"),))
        _ = cls.fill(x, alloc)
        y = (x, alloc)
        return y
