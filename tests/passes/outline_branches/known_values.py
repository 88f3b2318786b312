# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((4,), "float32"), t: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((), "float32"))):
        if c:
            y = x
        else:
            y = R.const([1, 2, 3, 4], "float32")
        if c:
            z = (y, R.const(1, "float32"))
        else:
            z = t
        return z
