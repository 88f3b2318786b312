# A function that calls itself hands on what it captured.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        @R.function
        def loop(s: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            if c:
                t = R.add(s, x)
                r = loop(t)
            else:
                r = s
            return r

        a = loop(x)
        return a


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        cls = Expected
        loop = R.make_closure(cls.main_loop, (c, x))
        a = R.invoke_pure_closure(loop, (x,), ty_args=(R.Tensor((4,), "float32"),))
        return a

    @R.function(private=True)
    def main_loop(s: R.Tensor((4,), "float32"), c: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Expected
        if c:
            t = R.add(s, x)
            r = cls.main_loop(t, c, x)
        else:
            r = s
        return r
