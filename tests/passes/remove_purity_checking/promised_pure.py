# A call that promises to be pure becomes a plain call in a function that is pure by force.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        a = R.call_pure_packed("f", x, ty_args=(R.Tensor((4,), "float32"),))
        return a


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"relax.force_pure": True})
        a = R.call_packed("f", x, ty_args=(R.Tensor((4,), "float32"),))
        return a
