# Prepared weights have different names, whatever their variables were called.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32")):
        R.func_attr({"num_input": 1})
        w1 = R.permute_dims(w)
        y = R.matmul(x, w1)
        w1 = R.add(w, w)
        z = R.matmul(y, w1)
        return z


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((2, 2), dtype="float32"))) -> R.Tuple(R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"w1": ["w"], "w11": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((2, 2), dtype="float32") = model_params[0]
            w1: R.Tensor((2, 2), dtype="float32") = R.permute_dims(w)
            w1_1: R.Tensor((2, 2), dtype="float32") = R.add(w, w)
            gv: R.Tuple(R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32")) = (w1, w1_1)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((2, 2), dtype="float32"), w1: R.Tensor((2, 2), dtype="float32"), w11: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        y: R.Tensor((2, 2), dtype="float32") = R.matmul(x, w1)
        z: R.Tensor((2, 2), dtype="float32") = R.matmul(y, w11)
        return z
