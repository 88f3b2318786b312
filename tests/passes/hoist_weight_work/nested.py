# What the inner loop computes from the weight of the outer one leaves both.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Before:
    @R.function(private=True)
    def inner(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32")) -> R.Tensor((2, 4), "float32"):
        cls = Before
        least = R.min(x)
        more: R.Tensor((), "bool") = R.less(least, R.const(0.0, "float32"))
        if more:
            turned = R.permute_dims(w)
            product = R.matmul(x, turned)
            rest = cls.inner(product, w)
            result: R.Tensor((2, 4), "float32") = rest
        else:
            result: R.Tensor((2, 4), "float32") = x
        return result

    @R.function(private=True)
    def outer(x: R.Tensor((2, 4), "float32"), v: R.Tensor((4, 4), "float32")) -> R.Tensor((2, 4), "float32"):
        cls = Before
        least = R.min(x)
        more: R.Tensor((), "bool") = R.less(least, R.const(1.0, "float32"))
        if more:
            some = cls.inner(x, v)
            rest = cls.outer(some, v)
            result: R.Tensor((2, 4), "float32") = rest
        else:
            result: R.Tensor((2, 4), "float32") = x
        return result

    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32")):
        R.func_attr({"num_input": 1})
        cls = Before
        y = cls.outer(x, w)
        return y


@I.ir_module
class Expected:
    @R.function(private=True)
    def inner(x: R.Tensor((2, 4), dtype="float32"), turned: R.Tensor((4, 4), dtype="float32")) -> R.Tensor((2, 4), dtype="float32"):
        cls = Expected
        least: R.Tensor((), dtype="float32") = R.min(x)
        more: R.Tensor((), dtype="bool") = R.less(least, R.const(0.0, "float32"))
        if more:
            product: R.Tensor((2, 4), dtype="float32") = R.matmul(x, turned)
            result: R.Tensor((2, 4), dtype="float32") = cls.inner(product, turned)
        else:
            result: R.Tensor((2, 4), dtype="float32") = x
        return result

    @R.function(private=True)
    def outer(x: R.Tensor((2, 4), dtype="float32"), turned: R.Tensor((4, 4), dtype="float32")) -> R.Tensor((2, 4), dtype="float32"):
        cls = Expected
        least: R.Tensor((), dtype="float32") = R.min(x)
        more: R.Tensor((), dtype="bool") = R.less(least, R.const(1.0, "float32"))
        if more:
            some: R.Tensor((2, 4), dtype="float32") = cls.inner(x, turned)
            result: R.Tensor((2, 4), dtype="float32") = cls.outer(some, turned)
        else:
            result: R.Tensor((2, 4), dtype="float32") = x
        return result

    @R.function
    def main(x: R.Tensor((2, 4), dtype="float32"), w: R.Tensor((4, 4), dtype="float32")) -> R.Tensor((2, 4), dtype="float32"):
        R.func_attr({"num_input": 1})
        cls = Expected
        with R.dataflow():
            turned: R.Tensor((4, 4), dtype="float32") = R.permute_dims(w)
            R.output(turned)
        y: R.Tensor((2, 4), dtype="float32") = cls.outer(x, turned)
        return y
