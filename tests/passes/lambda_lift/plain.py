# A local function that captures nothing becomes a function of the module.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        @R.function
        def inner(y: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
            z = R.add(y, y)
            return z

        a = inner(x)
        return a


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Expected
        a = cls.main_inner(x)
        return a

    @R.function(private=True)
    def main_inner(y: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        z = R.add(y, y)
        return z
