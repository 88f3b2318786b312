# Symbols of a cast are what the value has there; the cast says nothing new and goes.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("m", "n"), "float32")):
        p = T.int64()
        q = T.int64()
        a = R.match_cast(x, R.Tensor((p, q), "float32"))
        b = R.add(a, x)
        c = R.reshape(b, R.shape([p * q]))
        return c


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("m", "n"), "float32")):
        m = T.int64()
        n = T.int64()
        b = R.add(x, x)
        c = R.reshape(b, R.shape([m * n]))
        return c
