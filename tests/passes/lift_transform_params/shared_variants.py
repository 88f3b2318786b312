# Both are made where that is asked for.
# pass: lift-transform-params(shared_transform=True, variants=True)
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
    def first(x: R.Tensor((2, 2), dtype="float32"), t: R.Tensor((2, 2), dtype="float32"), t1: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "transform_params"})
        y: R.Tensor((2, 2), dtype="float32") = R.matmul(x, t)
        return y

    @R.function
    def second(x: R.Tensor((2, 2), dtype="float32"), t: R.Tensor((2, 2), dtype="float32"), t1: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "transform_params"})
        y: R.Tensor((2, 2), dtype="float32") = R.matmul(x, t1)
        return y

    @R.function
    def transform_params(model_params: R.Tuple(R.Tensor((2, 2), dtype="float32"))) -> R.Tuple(R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": ["first", "second"], "sunmao.prepared_from": {"t": ["w"], "t1": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((2, 2), dtype="float32") = model_params[0]
            t: R.Tensor((2, 2), dtype="float32") = R.permute_dims(w)
            t_1: R.Tensor((2, 2), dtype="float32") = R.add(w, w)
            gv: R.Tuple(R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32")) = (t, t_1)
            R.output(gv)
        return gv
