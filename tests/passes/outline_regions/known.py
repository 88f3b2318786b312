# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("m",), "float32"), y: R.Tensor(dtype="float32")) -> R.Tensor(ndim=2, dtype="float32"):
        m = T.int64()
        n = T.int64()
        a: R.Tensor((n,), "float32") = R.match_cast(x, R.Tensor((n,), "float32"))
        b: R.Tensor(ndim=2, dtype="float32") = R.match_cast(y, R.Tensor(ndim=2, dtype="float32"))
        return b
