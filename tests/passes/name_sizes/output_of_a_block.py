# In a dataflow block the cast is the output.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            y = R.call_pure_packed("pick", x, ty_args=R.Tensor("float32", ndim=1))
            R.output(y)
        z = R.exp(y)
        return z


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor(dtype="float32", ndim=1):
        n = T.int64()
        with R.dataflow():
            y: R.Tensor(dtype="float32", ndim=1) = R.call_pure_packed("pick", x, ty_args=(R.Tensor(dtype="float32", ndim=1),))
            y1: R.Tensor((n,), dtype="float32") = R.match_cast(y, R.Tensor((n,), dtype="float32"))
            R.output(y1)
        z: R.Tensor((n,), dtype="float32") = R.exp(y1)
        return z
