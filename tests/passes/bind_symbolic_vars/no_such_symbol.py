# error: E0519: bind-symbolic-vars: there is no symbol `m`
# pass: bind-symbolic-vars(binding_map={m: 2})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        return x
