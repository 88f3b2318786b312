# error: E0515: lift-transform-params: the module has no function `third`
# A list names functions that are there.
# pass: lift-transform-params(shared_transform=[first, third])
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
