# unchanged
# What a tuple holds is read later, also by way of its fields.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        with R.dataflow():
            v0 = R.exp(x)
            held = (v0, x)
            v1 = R.add(v0, x)
            v2 = held[0]
            out = R.exp(v2)
            R.output(v1, out)
        return out
