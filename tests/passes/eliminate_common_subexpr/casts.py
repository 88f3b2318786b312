# Equal casts count as equal; casts to symbols of their own do not.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(ndim=2, dtype="float32")):
        m = T.int64()
        n = T.int64()
        a = R.match_cast(x, R.Tensor((2, 3), "float32"))
        b = R.match_cast(x, R.Tensor((2, 3), "float32"))
        c = R.match_cast(x, R.Tensor((m, 3), "float32"))
        d = R.match_cast(x, R.Tensor((n, 3), "float32"))
        return (a, b, c, d)


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(ndim=2, dtype="float32")):
        m = T.int64()
        n = T.int64()
        a = R.match_cast(x, R.Tensor((2, 3), "float32"))
        b = a
        c = R.match_cast(x, R.Tensor((m, 3), "float32"))
        d = R.match_cast(x, R.Tensor((n, 3), "float32"))
        return (a, a, c, d)
