# Of two names that become one, the last that is let go of lets go of the value.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(x: R.Tensor((3,), "float32")):
        a = x
        e = R.exp(a)
        R.vm.kill_object(a)
        b = x
        t = R.tanh(b)
        R.vm.kill_object(b)
        return (e, t)


@I.ir_module
class Expected:
    @R.function(pure=False)
    def main(x: R.Tensor((3,), "float32")):
        e = R.exp(x)
        t = R.tanh(x)
        R.vm.kill_object(x)
        return (e, t)
