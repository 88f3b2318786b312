# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def room() -> R.Tensor((4,), "float32"):
        a = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        return a

    @R.function(private=True)
    def even(c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        cls = Before
        if c:
            r = cls.odd(c)
        else:
            r = R.ones((4,), "float32")
        return r

    @R.function(private=True)
    def odd(c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        cls = Before
        if c:
            r = cls.even(c)
        else:
            r = cls.room()
        return r

    @R.function(private=True)
    def noise(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        d = R.nn.dropout(x, rate=0.5)
        e = d[0]
        return e

    @R.function
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")):
        cls = Before

        @R.function
        def local(y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            s = cls.noise(y)
            return s

        a = cls.room()
        b = cls.room()
        d = cls.even(c)
        e = cls.even(c)
        f = cls.noise(x)
        g = cls.noise(x)
        h = local(x)
        i = local(x)
        return (a, b, d, e, f, g, h, i)

    @R.function
    def unknown(g: R.Callable((R.Tensor((4,), "float32"),), R.Tensor((4,), "float32"), True), x: R.Tensor((4,), "float32")):
        a = g(x)
        b = g(x)
        return (a, b)

    @R.function
    def closures(x: R.Tensor((4,), "float32")):
        cls = Before
        c = R.make_closure(cls.noise, ())
        a = R.invoke_pure_closure(c, (x,), ty_args=R.Tensor((4,), "float32"))
        b = R.invoke_pure_closure(c, (x,), ty_args=R.Tensor((4,), "float32"))
        return (a, b)
