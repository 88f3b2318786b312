# error: E0515: bind-params: the module has no function `other`
# pass: bind-params(func_name=other, params={x: [1, 2, 3, 4]})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        return x
