# error: E0514: bind-params: `x` must be numbers of type int8, got 128
# pass: bind-params(func_name=main, params={x: [1, 128]})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2,), "int8")):
        return x
