# error
# It gives one tuple.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32")):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        t = R.permute_dims(w)
        y = R.matmul(x, t)
        return y

    @R.function
    def main_transform_params(p: R.Tuple(R.Tensor((2, 2), "float32"))):  # E0532: `main_transform_params` is named as a
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main"})
        w = p[0]
        return w
