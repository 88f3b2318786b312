# unchanged
# A private function that says how many inputs it has is an entry, whatever its callers give it.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Before:
    @R.function(private=True)
    def layer(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32")) -> R.Tensor((2, 4), "float32"):
        R.func_attr({"num_input": 1})
        turned = R.permute_dims(w)
        product = R.matmul(x, turned)
        return product

    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32")):
        cls = Before
        v = R.add(w, w)
        y = cls.layer(x, v)
        return y
