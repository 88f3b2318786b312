# error
# A transform that another function calls stays what it is.
# pass: lift-transform-params(shared_transform=True)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((3,), "float32"), t: R.Tensor((3,), "float32")):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        e = R.tanh(t)
        y = R.add(x, e)
        return y

    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((3,), "float32"))):  # E0504: `user` calls the parameter transform
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.weight_names": ["w"]})
        w = model_params[0]
        t = R.exp(w)
        gv = (t,)
        return gv

    @R.function(pure=False)
    def user(w: R.Tensor((3,), "float32")):
        cls = Before
        r = cls.main_transform_params((w,))
        return r
