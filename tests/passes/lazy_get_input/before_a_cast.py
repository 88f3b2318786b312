# A size that a cast only compares is known before: the weight that says it is got first.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("k",), "float32"), w: R.Tensor(("n", 2), "float32")):
        R.func_attr({"num_input": 1})
        n = T.int64()
        y = R.match_cast(x, R.Tensor((n * 2,), "float32"))
        z = R.add(R.reshape(y, (n, 2)), w)
        return z


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("k",), dtype="float32"), fget_param: R.Callable((T.int64, R.Any), R.Any, True)) -> R.Tensor(dtype="float32", ndim=2):
        R.func_attr({"num_input": 2})
        k = T.int64()
        n = T.int64()
        w_untyped: R.Any = fget_param(0, R.str("w"))
        w: R.Tensor((n, 2), dtype="float32") = R.match_cast(w_untyped, R.Tensor((n, 2), dtype="float32"))
        y: R.Tensor((n * 2,), dtype="float32") = R.match_cast(x, R.Tensor((n * 2,), dtype="float32"))
        z: R.Tensor((n, 2), dtype="float32") = R.add(R.reshape(y, R.shape([n, 2])), w)
        return z
