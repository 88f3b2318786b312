# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32"), s: R.Prim("float32")):
        y = R.add(x, s)
        z = R.clip(y, s, s)
        return z
