# Each entry point has a transform of its own.
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


@I.ir_module
class Expected:
    @R.function
    def first(x: R.Tensor((2, 2), dtype="float32"), t: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "first_transform_params"})
        y: R.Tensor((2, 2), dtype="float32") = R.matmul(x, t)
        return y

    @R.function
    def first_transform_params(model_params: R.Tuple(R.Tensor((2, 2), dtype="float32"))) -> R.Tuple(R.Tensor((2, 2), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "first", "sunmao.prepared_from": {"t": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((2, 2), dtype="float32") = model_params[0]
            t: R.Tensor((2, 2), dtype="float32") = R.permute_dims(w)
            gv: R.Tuple(R.Tensor((2, 2), dtype="float32")) = (t,)
            R.output(gv)
        return gv

    @R.function
    def second(x: R.Tensor((2, 2), dtype="float32"), t: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "second_transform_params"})
        y: R.Tensor((2, 2), dtype="float32") = R.matmul(x, t)
        return y

    @R.function
    def second_transform_params(model_params: R.Tuple(R.Tensor((2, 2), dtype="float32"))) -> R.Tuple(R.Tensor((2, 2), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "second", "sunmao.prepared_from": {"t": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((2, 2), dtype="float32") = model_params[0]
            t: R.Tensor((2, 2), dtype="float32") = R.add(w, w)
            gv: R.Tuple(R.Tensor((2, 2), dtype="float32")) = (t,)
            R.output(gv)
        return gv
