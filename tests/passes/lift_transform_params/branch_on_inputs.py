# A branch on an input stays; what both branches read is prepared.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32")):
        R.func_attr({"num_input": 2})
        t = R.permute_dims(w)
        if c:
            y = R.matmul(x, t)
        else:
            y = R.add(x, t)
        return y


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((2, 2), dtype="float32"))) -> R.Tuple(R.Tensor((2, 2), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"t": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((2, 2), dtype="float32") = model_params[0]
            t: R.Tensor((2, 2), dtype="float32") = R.permute_dims(w)
            gv: R.Tuple(R.Tensor((2, 2), dtype="float32")) = (t,)
            R.output(gv)
        return gv

    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((2, 2), dtype="float32"), t: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        R.func_attr({"num_input": 2, "sunmao.param_transform": "main_transform_params"})
        if c:
            y: R.Tensor((2, 2), dtype="float32") = R.matmul(x, t)
        else:
            y: R.Tensor((2, 2), dtype="float32") = R.add(x, t)
        return y
