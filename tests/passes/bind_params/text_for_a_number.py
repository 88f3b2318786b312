# error: E0514: bind-params: `x` must be numbers of type float32, got no number
# pass: bind-params(func_name=main, params={x: [one]})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1,), "float32")):
        return x
