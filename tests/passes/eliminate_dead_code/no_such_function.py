# error: E0515: eliminate-dead-code: the module has no function `mian`
# pass: eliminate-dead-code(entry_functions=mian)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        return x
