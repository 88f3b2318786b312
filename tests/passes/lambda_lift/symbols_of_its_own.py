# A lifted function has symbols of its own for those that its parameters name.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()

        @R.function
        def inner(y: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
            z = R.add(y, y)
            return z

        a = inner(x)
        return a


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        cls = Expected
        a = cls.main_inner(x)
        return a

    @R.function(private=True)
    def main_inner(y: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        z = R.add(y, y)
        return z
