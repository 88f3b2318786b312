# error: E1001: target: `z80` is not known
# pass: add-target-forms(targets=[z80])
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        return x
