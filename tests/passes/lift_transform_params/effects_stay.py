# What has an effect, draws random numbers or writes in place stays, and what reads it too.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(x: R.Tensor((3,), "float32"), w: R.Tensor((3,), "float32")):
        R.func_attr({"num_input": 1})
        a = R.call_packed("load_more", w, ty_args=(R.Tensor((3,), "float32"),))
        b = R.add(a, w)
        y = R.add(x, b)
        return y


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((3,), dtype="float32"))) -> R.Tuple(R.Tensor((3,), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"w": ["w"]}, "sunmao.weight_names": ["w"]})
        return model_params

    @R.function(pure=False)
    def main(x: R.Tensor((3,), dtype="float32"), w: R.Tensor((3,), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        a: R.Tensor((3,), dtype="float32") = R.call_packed("load_more", w, ty_args=(R.Tensor((3,), dtype="float32"),))
        b: R.Tensor((3,), dtype="float32") = R.add(a, w)
        y: R.Tensor((3,), dtype="float32") = R.add(x, b)
        return y
