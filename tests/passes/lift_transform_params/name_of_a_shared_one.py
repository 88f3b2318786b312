# error
# A transform of others is not taken over.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def first(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 2), "float32")):
        R.func_attr({"num_input": 1})
        t = R.add(w, w)
        y = R.matmul(x, t)
        return y

    @R.function
    def first_transform_params(model_params: R.Tuple(R.Tensor((3, 2), "float32"))):  # E0503: `first_transform_params` prepares the
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "other", "sunmao.weight_names": ["w"]})
        return model_params
