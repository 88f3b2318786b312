# A function that does the same with a weight twice, also in a branch, does it once.
# pass: lift-transform-params
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), c: R.Tensor((), "bool"), w: R.Tensor((2, 2), "float32")):
        R.func_attr({"num_input": 2})
        t = R.permute_dims(w)
        y = R.matmul(x, t)
        if c:
            u = R.permute_dims(w)
            z = R.matmul(y, u)
        else:
            z = y
        return z


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 2), dtype="float32"), c: R.Tensor((), dtype="bool"), t: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        R.func_attr({"num_input": 2, "sunmao.param_transform": "main_transform_params"})
        y: R.Tensor((2, 2), dtype="float32") = R.matmul(x, t)
        if c:
            z: R.Tensor((2, 2), dtype="float32") = R.matmul(y, t)
        else:
            z: R.Tensor((2, 2), dtype="float32") = y
        return z

    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((2, 2), dtype="float32"))) -> R.Tuple(R.Tensor((2, 2), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"t": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((2, 2), dtype="float32") = model_params[0]
            t: R.Tensor((2, 2), dtype="float32") = R.permute_dims(w)
            gv: R.Tuple(R.Tensor((2, 2), dtype="float32")) = (t,)
            R.output(gv)
        return gv
