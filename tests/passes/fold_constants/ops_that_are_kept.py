# unchanged
# pass: fold-constants(keep=[nn.relu])
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Before:
    @R.function
    def main():
        with R.dataflow():
            y = R.nn.relu(R.const([1.0, -2.0], "float32"))
            R.output(y)
        return y
