# Only the named function changes; sums are folded.
# pass: bind-symbolic-vars(binding_map={n: 2}, func_name=main)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", "n + m"), "float32"), y: R.Tensor(("m",), "float32")):
        return x

    @R.function
    def other(x: R.Tensor(("n",), "float32")):
        return x


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, "m + 2"), "float32"), y: R.Tensor(("m",), "float32")):
        return x

    @R.function
    def other(x: R.Tensor(("n",), "float32")):
        return x
