# A parameter becomes a constant, and symbols become what its shape says.
# pass: bind-params(func_name=main, params={w: [1, 2]})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), w: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        y = R.add(x, w)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        y = R.add(x, R.const([1.0, 2.0], "float32"))
        return y
