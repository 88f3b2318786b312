# error: E0515: decompose-ops-for-training: the module has no function `none`
# pass: decompose-ops-for-training(func_name="none")
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        return x
