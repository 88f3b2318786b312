# each object that a function of the host makes is one of its own, tensors with equal arguments are one
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            keys = R.call_pure_packed("make_cache", x, ty_args=(R.Any,))
            values = R.call_pure_packed("make_cache", x, ty_args=(R.Any,))
            a = R.call_pure_packed("f", x, ty_args=(R.Tensor((4,), "float32"),))
            b = R.call_pure_packed("f", x, ty_args=(R.Tensor((4,), "float32"),))
            c = (keys, values, a, b)
            R.output(c)
        return c


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            keys = R.call_pure_packed("make_cache", x, ty_args=(R.Any,))
            values = R.call_pure_packed("make_cache", x, ty_args=(R.Any,))
            a = R.call_pure_packed("f", x, ty_args=(R.Tensor((4,), "float32"),))
            b = a
            c = (keys, values, a, a)
            R.output(c)
        return c
