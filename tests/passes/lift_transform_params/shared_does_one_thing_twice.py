# A function that does twice what is shared reads it once.
# pass: lift-transform-params(shared_transform=True)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def first(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32")):
        R.func_attr({"num_input": 1})
        t = R.permute_dims(w)
        u = R.permute_dims(w)
        y = R.matmul(x, t)
        z = R.matmul(y, u)
        return z

    @R.function
    def second(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32")):
        R.func_attr({"num_input": 1})
        a = R.permute_dims(w)
        b = R.permute_dims(w)
        y = R.add(x, a)
        z = R.add(y, b)
        return z


@I.ir_module
class Expected:
    @R.function
    def first(x: R.Tensor((2, 2), dtype="float32"), t: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "transform_params"})
        y: R.Tensor((2, 2), dtype="float32") = R.matmul(x, t)
        z: R.Tensor((2, 2), dtype="float32") = R.matmul(y, t)
        return z

    @R.function
    def second(x: R.Tensor((2, 2), dtype="float32"), a: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "transform_params"})
        y: R.Tensor((2, 2), dtype="float32") = R.add(x, a)
        z: R.Tensor((2, 2), dtype="float32") = R.add(y, a)
        return z

    @R.function
    def transform_params(model_params: R.Tuple(R.Tensor((2, 2), dtype="float32"))) -> R.Tuple(R.Tensor((2, 2), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": ["first", "second"], "sunmao.prepared_from": {"t": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((2, 2), dtype="float32") = model_params[0]
            t: R.Tensor((2, 2), dtype="float32") = R.permute_dims(w)
            gv: R.Tuple(R.Tensor((2, 2), dtype="float32")) = (t,)
            R.output(gv)
        return gv
