# A function that hands itself to another makes its closure anew from what it captured.
# pass: lambda-lift
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        @R.function
        def loop(s: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            f: R.Callable((R.Tensor((4,), "float32"),), R.Tensor((4,), "float32")) = loop
            if c:
                t = R.add(s, x)
                r: R.Tensor((4,), "float32") = f(t)
            else:
                r: R.Tensor((4,), "float32") = s
            return r

        a = loop(x)
        return a


@I.ir_module
class Expected:
    @R.function(private=True)
    def main_loop(s: R.Tensor((4,), dtype="float32"), c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        loop: R.Any = R.make_closure(cls.main_loop, (c, x))
        f: R.Any = loop
        if c:
            t: R.Tensor((4,), dtype="float32") = R.add(s, x)
            r: R.Tensor((4,), dtype="float32") = R.invoke_pure_closure(f, (t,), ty_args=(R.Tensor((4,), dtype="float32"),))
        else:
            r: R.Tensor((4,), dtype="float32") = s
        return r

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        loop: R.Any = R.make_closure(cls.main_loop, (c, x))
        a: R.Tensor((4,), dtype="float32") = R.invoke_pure_closure(loop, (x,), ty_args=(R.Tensor((4,), dtype="float32"),))
        return a
