from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        both = R.Tuple(x, x)
        first = R.TupleGetItem(both, 0)
        shape = R.ShapeExpr([3, 2])
        called = R.call_tir("outside", (first,), out_ty=R.Tensor((2, 3), "float32"))
        return R.reshape(called, shape)
