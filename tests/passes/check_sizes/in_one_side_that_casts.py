# Where one side of a branch casts an argument, its result is cast back to the size that both sides state.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), c: R.Tensor((), "bool")) -> R.Tensor(("n - 1",), "float32"):
        n = T.int64()
        if c:
            y = R.nn.pad(x, [0, -1], pad_mode="reflect")
        else:
            y = R.nn.pad(x, [0, -1])
        z = R.exp(y)
        return z


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), c: R.Tensor((), "bool")) -> R.Tensor(("n - 1",), "float32"):
        n = T.int64()
        if c:
            x_1 = R.match_cast(x, R.Tensor((T.max(n, 1),), "float32"))
            y_1 = R.nn.pad(x_1, [0, -1], pad_mode="reflect")
            y = R.match_cast(y_1, R.Tensor((n - 1,), "float32"))
        else:
            y = R.nn.pad(x, [0, -1])
        z = R.exp(y)
        return z
