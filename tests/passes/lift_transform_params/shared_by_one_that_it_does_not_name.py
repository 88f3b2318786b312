# A transform that says it is of one function alone may be that of another one too.
# pass: lift-transform-params(shared_transform=True)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def first(x: R.Tensor((3,), "float32"), t: R.Tensor((3,), "float32")):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "both"})
        y = R.add(x, t)
        return y

    @R.function
    def second(x: R.Tensor((3,), "float32"), t: R.Tensor((3,), "float32")):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "both"})
        y = R.multiply(x, t)
        return y

    @R.function
    def both(model_params: R.Tuple(R.Tensor((3,), "float32"))):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "first", "sunmao.weight_names": ["w"]})
        w = model_params[0]
        t = R.exp(w)
        gv = (t,)
        return gv


@I.ir_module
class Expected:
    @R.function
    def first(x: R.Tensor((3,), dtype="float32"), t: R.Tensor((3,), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "transform_params"})
        y: R.Tensor((3,), dtype="float32") = R.add(x, t)
        return y

    @R.function
    def second(x: R.Tensor((3,), dtype="float32"), t: R.Tensor((3,), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "transform_params"})
        y: R.Tensor((3,), dtype="float32") = R.multiply(x, t)
        return y

    @R.function
    def transform_params(model_params: R.Tuple(R.Tensor((3,), dtype="float32"))) -> R.Tuple(R.Tensor((3,), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": ["first", "second"], "sunmao.prepared_from": {"t": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((3,), dtype="float32") = model_params[0]
            t: R.Tensor((3,), dtype="float32") = R.exp(w)
            gv: R.Tuple(R.Tensor((3,), dtype="float32")) = (t,)
            R.output(gv)
        return gv
