# error
# Functions with different weights cannot share a transform.
# pass: lift-transform-params(shared_transform=True)
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
    def second(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32"), v: R.Tensor((2, 2), "float32")):  # E0527: the weights of `first` are 1 and those
        R.func_attr({"num_input": 1})
        t = R.add(w, v)
        y = R.matmul(x, t)
        return y
