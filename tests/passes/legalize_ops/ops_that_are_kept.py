# unchanged
# pass: legalize-ops(keep=[nn.relu])
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        y = R.nn.relu(x)
        return y
