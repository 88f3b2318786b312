# What nothing uses goes, with what only it used.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T



@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        a = R.add(x, x)
        b = R.multiply(a, x)
        c = R.nn.relu(x)
        return c

    @R.function(private=True)
    def lost(x: R.Tensor((2,), "float32")):
        return x


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        c = R.nn.relu(x)
        return c
