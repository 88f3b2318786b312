# A function that calls its enclosing function captures what that one captured.
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
            @R.function
            def step(t: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
                u: R.Tensor((4,), "float32") = loop(t)
                return u

            if c:
                t = R.add(s, x)
                r = step(t)
            else:
                r = s
            return r

        a = loop(x)
        return a


@I.ir_module
class Expected:
    @R.function(private=True)
    def main_loop(s: R.Tensor((4,), dtype="float32"), c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        step: R.Any = R.make_closure(cls.main_step, (c, x))
        if c:
            t: R.Tensor((4,), dtype="float32") = R.add(s, x)
            r: R.Tensor((4,), dtype="float32") = R.invoke_pure_closure(step, (t,), ty_args=(R.Tensor((4,), dtype="float32"),))
        else:
            r: R.Tensor((4,), dtype="float32") = s
        return r

    @R.function(private=True)
    def main_step(t: R.Tensor((4,), dtype="float32"), c: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        u: R.Tensor((4,), dtype="float32") = cls.main_loop(t, c, x)
        return u

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        loop: R.Any = R.make_closure(cls.main_loop, (c, x))
        a: R.Tensor((4,), dtype="float32") = R.invoke_pure_closure(loop, (x,), ty_args=(R.Tensor((4,), dtype="float32"),))
        return a
