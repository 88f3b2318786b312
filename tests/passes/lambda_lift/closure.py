# What a local function captures goes into a closure.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        @R.function
        def outer(c: R.Tensor((4,), "float32")) -> R.Callable((R.Tensor((4,), "float32"),), R.Tensor((4,), "float32")):
            @R.function
            def inner(z: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
                s = R.add(z, c)
                return s

            return inner

        f = outer(x)
        a = f(y)
        return a


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Expected
        f = cls.main_outer(x)
        a = R.invoke_pure_closure(f, (y,), ty_args=(R.Tensor((4,), "float32"),))
        return a

    @R.function(private=True)
    def main_inner(z: R.Tensor((4,), "float32"), c: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        s = R.add(z, c)
        return s

    @R.function(private=True)
    def main_outer(c: R.Tensor((4,), "float32")) -> R.Any:
        cls = Expected
        inner = R.make_closure(cls.main_inner, (c,))
        return inner
