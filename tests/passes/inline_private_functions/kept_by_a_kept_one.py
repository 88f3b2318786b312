# A function that is named as a value stays, and so does what it names.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def inner(a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        b = R.negative(a)
        return b

    @R.function(private=True)
    def outer(a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Before
        f = R.make_closure(cls.inner, (a,))
        b = R.invoke_pure_closure(f, R.tuple(), ty_args=(R.Tensor((2,), "float32"),))
        return b

    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Before
        f = R.make_closure(cls.outer, (x,))
        y = R.invoke_pure_closure(f, R.tuple(), ty_args=(R.Tensor((2,), "float32"),))
        z = cls.inner(y)
        w = cls.outer(z)
        return w


@I.ir_module
class Expected:
    @R.function(private=True)
    def inner(a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        b = R.negative(a)
        return b

    @R.function(private=True)
    def outer(a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Expected
        f = R.make_closure(cls.inner, (a,))
        b = R.invoke_pure_closure(f, R.tuple(), ty_args=(R.Tensor((2,), "float32"),))
        return b

    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Expected
        f = R.make_closure(cls.outer, (x,))
        y = R.invoke_pure_closure(f, R.tuple(), ty_args=(R.Tensor((2,), "float32"),))
        b = R.negative(y)
        f_1 = R.make_closure(cls.inner, (b,))
        b_1 = R.invoke_pure_closure(f_1, R.tuple(), ty_args=(R.Tensor((2,), "float32"),))
        return b_1
