# A function of the transform's name and exactly its signature is the transform.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((3, 4), "float32")):
        R.func_attr({"num_input": 1})
        t = R.permute_dims(w)
        y = R.matmul(x, t)
        return y

    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((3, 4), "float32"))):
        R.func_attr({"num_input": 0})
        return model_params


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((3, 4), dtype="float32"))) -> R.Tuple(R.Tensor((4, 3), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"t": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((3, 4), dtype="float32") = model_params[0]
            t: R.Tensor((4, 3), dtype="float32") = R.permute_dims(w)
            gv: R.Tuple(R.Tensor((4, 3), dtype="float32")) = (t,)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((2, 4), dtype="float32"), t: R.Tensor((4, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        y: R.Tensor((2, 3), dtype="float32") = R.matmul(x, t)
        return y
