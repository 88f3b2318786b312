# What a cast says of a branch alone is known there, and needs no name outside.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), c: R.Tensor((), "bool")) -> R.Tensor(ndim=1, dtype="float32"):
        n = T.int64()
        d = T.int64()
        e = T.int64()
        if c:
            result: R.Tensor((d,), "float32") = R.match_cast(x, R.Tensor((d,), "float32"))
            y: R.Tensor(ndim=1, dtype="float32") = result
        else:
            result: R.Tensor((e,), "float32") = R.match_cast(x, R.Tensor((e,), "float32"))
            y: R.Tensor(ndim=1, dtype="float32") = result
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        if c:
            y: R.Tensor((n,), dtype="float32") = x
        else:
            y: R.Tensor((n,), dtype="float32") = x
        return y
