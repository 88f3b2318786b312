# unchanged
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Before:
    @R.function(private=True)
    def even(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32")) -> R.Tensor((2, 4), "float32"):
        cls = Before
        least = R.min(x)
        more: R.Tensor((), "bool") = R.less(least, R.const(0.0, "float32"))
        if more:
            turned = R.permute_dims(w)
            product = R.matmul(x, turned)
            rest = cls.odd(product, w)
            result: R.Tensor((2, 4), "float32") = rest
        else:
            result: R.Tensor((2, 4), "float32") = x
        return result

    @R.function(private=True)
    def odd(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32")) -> R.Tensor((2, 4), "float32"):
        cls = Before
        y = cls.even(x, w)
        return y

    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32")):
        R.func_attr({"num_input": 1})
        cls = Before
        y = cls.odd(x, w)
        return y
