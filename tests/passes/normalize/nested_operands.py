# Nested computations become bindings; the result gets a name.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        return R.multiply(R.add(x, x), R.nn.relu(x))


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        a = R.add(x, x)
        b = R.nn.relu(x)
        c = R.multiply(a, b)
        return c
