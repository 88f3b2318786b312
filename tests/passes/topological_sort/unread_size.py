# What no output needs goes to the end, where the next run does not find it: that one moves it again.
# pass: topological-sort(direction=from-outputs)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(n: R.Prim(value="extent"), w: R.Tensor(ndim=1, dtype="float32")) -> R.Tensor(ndim=1, dtype="float32"):
        extent = T.int64()
        with R.dataflow():
            m: R.Prim(value="extent") = n
            v: R.Tensor(ndim=1, dtype="float32") = w
            a = R.match_cast(v, R.Tensor((extent,), "float32"))
            b = R.match_cast(v, R.Tensor((extent,), "float32"))
            c: R.Tensor(ndim=1, dtype="float32") = R.multiply(a, b)
            R.output(c)
        return c


@I.ir_module
class Expected:
    @R.function
    def main(n: R.Prim(value="extent"), w: R.Tensor(ndim=1, dtype="float32")) -> R.Tensor(ndim=1, dtype="float32"):
        extent = T.int64()
        with R.dataflow():
            v: R.Tensor(ndim=1, dtype="float32") = w
            a = R.match_cast(v, R.Tensor((extent,), "float32"))
            b = R.match_cast(v, R.Tensor((extent,), "float32"))
            c: R.Tensor(ndim=1, dtype="float32") = R.multiply(a, b)
            m: R.Prim(value="extent") = n
            R.output(c)
        return c
