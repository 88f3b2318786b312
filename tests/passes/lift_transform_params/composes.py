# New work runs behind the work of an earlier run, inside the one transform.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), wt: R.Tensor((4, 3), "float32")):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        with R.dataflow():
            w2 = R.add(wt, wt)
            y = R.matmul(x, w2)
            R.output(y)
        return y

    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((3, 4), "float32"))):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w = model_params[0]
            wt = R.permute_dims(w)
            gv = (wt,)
            R.output(gv)
        return gv


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((3, 4), dtype="float32"))) -> R.Tuple(R.Tensor((4, 3), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"w2": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((3, 4), dtype="float32") = model_params[0]
            wt: R.Tensor((4, 3), dtype="float32") = R.permute_dims(w)
            w2: R.Tensor((4, 3), dtype="float32") = R.add(wt, wt)
            gv: R.Tuple(R.Tensor((4, 3), dtype="float32")) = (w2,)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((2, 4), dtype="float32"), w2: R.Tensor((4, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        with R.dataflow():
            y: R.Tensor((2, 3), dtype="float32") = R.matmul(x, w2)
            R.output(y)
        return y
