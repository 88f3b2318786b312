# New work goes behind a transform that has effects, which it keeps.
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

    @R.function(pure=False)
    def main_transform_params(model_params: R.Tuple(R.Tensor((3,), "float32"))):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.weight_names": ["w"]})
        w = model_params[0]
        t = R.exp(w)
        R.print(t, format="{}")
        gv = (t,)
        return gv


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((3,), dtype="float32"), e: R.Tensor((3,), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        y: R.Tensor((3,), dtype="float32") = R.add(x, e)
        return y

    @R.function(pure=False)
    def main_transform_params(model_params: R.Tuple(R.Tensor((3,), dtype="float32"))) -> R.Tuple(R.Tensor((3,), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"e": ["w"]}, "sunmao.weight_names": ["w"]})
        w: R.Tensor((3,), dtype="float32") = model_params[0]
        t: R.Tensor((3,), dtype="float32") = R.exp(w)
        R.print(t, format="{}")
        e: R.Tensor((3,), dtype="float32") = R.tanh(t)
        gv: R.Tuple(R.Tensor((3,), dtype="float32")) = (e,)
        return gv
