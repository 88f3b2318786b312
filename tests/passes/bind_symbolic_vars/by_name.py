# A symbol becomes a number in every function.
# pass: bind-symbolic-vars(binding_map={n: 2})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("n", "m"), "float32"):
        y = R.add(x, x)
        return y

    @R.function
    def other(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        y = R.reshape(x, R.shape([n, 1]))
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, "m"), "float32")) -> R.Tensor((2, "m"), "float32"):
        y = R.add(x, x)
        return y

    @R.function
    def other(x: R.Tensor((2,), "float32")):
        y = R.reshape(x, R.shape([2, 1]))
        return y
