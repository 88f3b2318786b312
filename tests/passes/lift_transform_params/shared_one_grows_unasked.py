# New work of functions that share a transform goes into that one, for all of them.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def decode(x: R.Tensor((1, 2), "float32"), w1: R.Tensor((2, 2), "float32")):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "transform_params"})
        w2 = R.add(w1, w1)
        y = R.matmul(x, w2)
        return y

    @R.function
    def prefill(x: R.Tensor((5, 2), "float32"), w1: R.Tensor((2, 2), "float32")):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "transform_params"})
        w2 = R.add(w1, w1)
        w3 = R.exp(w2)
        y = R.matmul(x, w3)
        return y

    @R.function
    def transform_params(model_params: R.Tuple(R.Tensor((2, 2), "float32"))):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": ["decode", "prefill"], "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w = model_params[0]
            w1 = R.permute_dims(w)
            gv = (w1,)
            R.output(gv)
        return gv


@I.ir_module
class Expected:
    @R.function
    def decode(x: R.Tensor((1, 2), dtype="float32"), w2: R.Tensor((2, 2), dtype="float32"), w3: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((1, 2), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "transform_params"})
        y: R.Tensor((1, 2), dtype="float32") = R.matmul(x, w2)
        return y

    @R.function
    def prefill(x: R.Tensor((5, 2), dtype="float32"), w2: R.Tensor((2, 2), dtype="float32"), w3: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((5, 2), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "transform_params"})
        y: R.Tensor((5, 2), dtype="float32") = R.matmul(x, w3)
        return y

    @R.function
    def transform_params(model_params: R.Tuple(R.Tensor((2, 2), dtype="float32"))) -> R.Tuple(R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": ["decode", "prefill"], "sunmao.prepared_from": {"w2": ["w"], "w3": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((2, 2), dtype="float32") = model_params[0]
            w1: R.Tensor((2, 2), dtype="float32") = R.permute_dims(w)
            w2: R.Tensor((2, 2), dtype="float32") = R.add(w1, w1)
            w3: R.Tensor((2, 2), dtype="float32") = R.exp(w2)
            gv: R.Tuple(R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32")) = (w2, w3)
            R.output(gv)
        return gv
