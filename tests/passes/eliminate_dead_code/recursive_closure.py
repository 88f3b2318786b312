# A closure that calls itself stays while it is called, and goes when it is not.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")):
        @R.function
        def loop(s: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            if c:
                t = R.add(s, x)
                r = loop(t)
            else:
                r = s
            return r

        @R.function
        def unused(s: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            r = unused(s)
            return r

        y = loop(x)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")):
        @R.function
        def loop(s: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            if c:
                t = R.add(s, x)
                r = loop(t)
            else:
                r = s
            return r

        y = loop(x)
        return y
