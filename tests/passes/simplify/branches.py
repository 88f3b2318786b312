# Branches and plain blocks are simplified too.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        m = R.negative(x)
        if c:
            p = R.negative(m)
            r = R.exp(p)
        else:
            q = R.abs(m)
            r = R.sqrt(q)
        return r


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        m = R.negative(x)
        if c:
            r = R.exp(x)
        else:
            q = R.abs(x)
            r = R.sqrt(q)
        return r
