# unchanged
# x + 0 makes 0 of -0, x * 0 keeps NaN, and x - x is NaN of infinity.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            a = R.add(x, R.const(0.0, "float32"))
            b = R.multiply(x, R.const(0.0, "float32"))
            c = R.subtract(x, x)
            d = (a, b, c)
            R.output(d)
        return d
