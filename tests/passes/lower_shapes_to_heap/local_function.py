# error
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32")):
        @R.function(pure=False)
        def inner(y: R.Tensor(("k",), "float32")) -> R.Tensor(("k",), "float32"):  # E0534: lower-shapes-to-heap: a local function is left
            return y

        a = inner(x)
        return a
