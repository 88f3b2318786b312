# Calls with the same weights share the work; the tuple of a weight stays, as making it is no work.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Before:
    @R.function(private=True)
    def layer(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32")) -> R.Tensor((2, 8), "float32"):
        with R.dataflow():
            turned = R.permute_dims(w)
            product = R.matmul(x, turned)
            both = (turned, w)
            wide = R.concat(both, axis=1)
            twice = R.matmul(product, wide)
            lifted = R.exp(wide)
            R.output(twice)
        return twice

    @R.function
    def main(
        x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32"), v: R.Tensor((4, 4), "float32")
    ):
        R.func_attr({"num_input": 1})
        cls = Before
        a = cls.layer(x, w)
        b = cls.layer(x, v)
        c = cls.layer(x, w)
        ab = R.add(a, b)
        y = R.add(ab, c)
        return y


@I.ir_module
class Expected:
    @R.function(private=True)
    def layer(x: R.Tensor((2, 4), dtype="float32"), turned: R.Tensor((4, 4), dtype="float32"), wide: R.Tensor((4, 8), dtype="float32")) -> R.Tensor((2, 8), dtype="float32"):
        with R.dataflow():
            product: R.Tensor((2, 4), dtype="float32") = R.matmul(x, turned)
            twice: R.Tensor((2, 8), dtype="float32") = R.matmul(product, wide)
            R.output(twice)
        return twice

    @R.function
    def main(x: R.Tensor((2, 4), dtype="float32"), w: R.Tensor((4, 4), dtype="float32"), v: R.Tensor((4, 4), dtype="float32")) -> R.Tensor((2, 8), dtype="float32"):
        R.func_attr({"num_input": 1})
        cls = Expected
        with R.dataflow():
            turned: R.Tensor((4, 4), dtype="float32") = R.permute_dims(w)
            wide: R.Tensor((4, 8), dtype="float32") = R.concat((turned, w), axis=1)
            turned1: R.Tensor((4, 4), dtype="float32") = R.permute_dims(v)
            wide1: R.Tensor((4, 8), dtype="float32") = R.concat((turned1, v), axis=1)
            R.output(turned, wide, turned1, wide1)
        a: R.Tensor((2, 8), dtype="float32") = cls.layer(x, turned, wide)
        b: R.Tensor((2, 8), dtype="float32") = cls.layer(x, turned1, wide1)
        c: R.Tensor((2, 8), dtype="float32") = cls.layer(x, turned, wide)
        ab: R.Tensor((2, 8), dtype="float32") = R.add(a, b)
        y: R.Tensor((2, 8), dtype="float32") = R.add(ab, c)
        return y
