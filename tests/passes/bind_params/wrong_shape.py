# error
# pass: bind-params(func_name=main, params={x: [1, 2]})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):  # E0518: the value of `x` does not fit: expected Tensor((4,), "float32"),
        return x
