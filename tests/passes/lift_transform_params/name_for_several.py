# error: E0503: name="prepare" names one transform, and 2 functions have weights: `first`, `second`
# One name does not do for several transforms.
# pass: lift-transform-params(name=prepare)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def first(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32")):
        R.func_attr({"num_input": 1})
        t = R.permute_dims(w)
        y = R.matmul(x, t)
        return y

    @R.function
    def second(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32")):
        R.func_attr({"num_input": 1})
        t = R.add(w, w)
        y = R.matmul(x, t)
        return y
