# error
# Who calls the function has no callback to hand over.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def part(a: R.Tensor((2,), "float32")):  # E0504: lazy-set-output: `part` is called by `main`, which has no callback
        b = R.negative(a)
        return b

    @R.function
    def main(x: R.Tensor((2,), "float32"), w: R.Tensor((2,), "float32")):
        R.func_attr({"num_input": 1})
        cls = Before
        y = cls.part(x)
        z = R.add(y, w)
        return z
