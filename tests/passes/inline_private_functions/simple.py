# A private function goes into its callers; its symbols become what the caller passes.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(a: R.Tensor((16, 4), "float32")) -> R.Tensor((16, 4), "float32"):
        cls = Before
        b = R.multiply(a, a)
        c = cls.inner(b)
        d = R.add(c, c)
        return d

    @R.function(private=True)
    def inner(x: R.Tensor(("n", 4), "float32")) -> R.Tensor(("n", 4), "float32"):
        y = R.nn.relu(x)
        z = R.add(y, x)
        return z


@I.ir_module
class Expected:
    @R.function
    def main(a: R.Tensor((16, 4), "float32")) -> R.Tensor((16, 4), "float32"):
        b = R.multiply(a, a)
        y = R.nn.relu(b)
        z = R.add(y, b)
        d = R.add(z, z)
        return d
