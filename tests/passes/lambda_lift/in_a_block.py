# What a dataflow block binds is captured as a plain parameter.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        with R.dataflow():
            y = R.negative(x)

            @R.function
            def inner(z: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
                s = R.subtract(z, y)
                return s

            a = inner(x)
            R.output(a)
        return a


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Expected
        with R.dataflow():
            y = R.negative(x)
            inner = R.make_closure(cls.main_inner, (y,))
            a = R.invoke_pure_closure(inner, (x,), ty_args=(R.Tensor((4,), "float32"),))
            R.output(a)
        return a

    @R.function(private=True)
    def main_inner(z: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        s = R.subtract(z, y)
        return s
