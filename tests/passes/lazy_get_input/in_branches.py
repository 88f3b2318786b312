# What one branch reads the other reads itself.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((2,), "float32"), w: R.Tensor((2,), "float32")):
        R.func_attr({"num_input": 2})
        if c:
            y = R.add(x, w)
        else:
            y = R.multiply(x, w)
        z = R.add(y, w)
        return z


@I.ir_module
class Expected:
    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((2,), dtype="float32"), fget_param: R.Callable((T.int64, R.Any), R.Any, True)) -> R.Tensor((2,), dtype="float32"):
        R.func_attr({"num_input": 3})
        if c:
            w_untyped: R.Any = fget_param(0, R.str("w"))
            w: R.Tensor((2,), dtype="float32") = R.match_cast(w_untyped, R.Tensor((2,), dtype="float32"))
            y: R.Tensor((2,), dtype="float32") = R.add(x, w)
        else:
            w_untyped_1: R.Any = fget_param(0, R.str("w"))
            w_1: R.Tensor((2,), dtype="float32") = R.match_cast(w_untyped_1, R.Tensor((2,), dtype="float32"))
            y: R.Tensor((2,), dtype="float32") = R.multiply(x, w_1)
        w_untyped_2: R.Any = fget_param(0, R.str("w"))
        w_2: R.Tensor((2,), dtype="float32") = R.match_cast(w_untyped_2, R.Tensor((2,), dtype="float32"))
        z: R.Tensor((2,), dtype="float32") = R.add(y, w_2)
        return z
