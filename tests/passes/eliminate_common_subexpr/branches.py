# What is known before a branch is known in it; what a branch computes is not known behind it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")):
        a = R.add(x, x)
        if c:
            p = R.add(x, x)
            q = R.multiply(p, x)
            r = q
        else:
            q = R.multiply(a, x)
            r = q
        s = R.multiply(a, x)
        t = R.add(r, s)
        return t


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")):
        a = R.add(x, x)
        if c:
            p = a
            q = R.multiply(a, x)
            r = q
        else:
            q = R.multiply(a, x)
            r = q
        s = R.multiply(a, x)
        t = R.add(r, s)
        return t
