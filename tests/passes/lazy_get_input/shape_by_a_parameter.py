# A shape that is got too is written out, where types name it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2,), "float32"), s: R.Shape(ndim=1), w: R.Tensor(s, "float32")):
        R.func_attr({"num_input": 1})
        y = R.add(w, w)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2,), dtype="float32"), fget_param: R.Callable((T.int64, R.Any), R.Any, True)) -> R.Tensor(dtype="float32", ndim=1):
        R.func_attr({"num_input": 2})
        s_0 = T.int64()
        s_untyped: R.Any = fget_param(0, R.str("s"))
        s: R.Shape([s_0]) = R.match_cast(s_untyped, R.Shape([s_0]))
        w_untyped: R.Any = fget_param(1, R.str("w"))
        w: R.Tensor((s_0,), dtype="float32") = R.match_cast(w_untyped, R.Tensor((s_0,), dtype="float32"))
        y: R.Tensor((s_0,), dtype="float32") = R.add(w, w)
        return y
