# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        @R.function
        def f(y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            if c:
                z = R.add(y, y)
            else:
                z = y
            return z

        r = f(x)
        return r
