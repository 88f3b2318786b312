# Equal calls of functions that make no object of their own are one value, in a cycle of calls, too.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def even(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        cls = Before
        if c:
            r = cls.odd(x, c)
        else:
            r = R.exp(x)
        return r

    @R.function(private=True)
    def odd(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        cls = Before
        r = cls.even(x, c)
        return r

    @R.function
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")):
        cls = Before

        @R.function
        def local(y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            s = cls.even(y, c)
            return s

        a = cls.even(x, c)
        b = cls.even(x, c)
        d = local(x)
        e = local(x)
        return (a, b, d, e)


@I.ir_module
class Expected:
    @R.function(private=True)
    def even(x: R.Tensor((4,), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        if c:
            r: R.Tensor((4,), dtype="float32") = cls.odd(x, c)
        else:
            r: R.Tensor((4,), dtype="float32") = R.exp(x)
        return r

    @R.function(private=True)
    def odd(x: R.Tensor((4,), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        r: R.Tensor((4,), dtype="float32") = cls.even(x, c)
        return r

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")):
        cls = Expected
        @R.function
        def local(y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
            s: R.Tensor((4,), dtype="float32") = cls.even(y, c)
            return s
        a: R.Tensor((4,), dtype="float32") = cls.even(x, c)
        b: R.Tensor((4,), dtype="float32") = a
        d: R.Tensor((4,), dtype="float32") = local(x)
        e: R.Tensor((4,), dtype="float32") = d
        return (a, a, d, d)
