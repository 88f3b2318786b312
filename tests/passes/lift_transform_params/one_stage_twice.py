# error
# A function goes through a transform once.
# pass: lift-transform-params(shared_transform=True)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((3,), "float32"), t: R.Tensor((3,), "float32")):
        R.func_attr({"num_input": 1, "sunmao.param_transform": ["main_transform_params", "main_transform_params"]})
        e = R.tanh(t)
        y = R.add(x, e)
        return y

    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((3,), "float32"))):  # E0532: `main_transform_params` is named as a
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.weight_names": ["w"]})
        w = model_params[0]
        t = R.exp(w)
        gv = (t,)
        return gv
