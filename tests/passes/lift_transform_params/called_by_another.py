# error
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T



@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((3, 4), "float32")):
        y = Before.inner(x, w)
        return y

    @R.function(private=True)
    def inner(x: R.Tensor((2, 4), "float32"), w: R.Tensor((3, 4), "float32")) -> R.Tensor((2, 3), "float32"):  # E0504: `inner` has num_input, but `main` calls
        R.func_attr({"num_input": 1})
        wt = R.permute_dims(w)
        y = R.matmul(x, wt)
        return y
