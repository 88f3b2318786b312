# A function without inputs is prepared whole.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(w: R.Tensor((2, 2), "float32")):
        R.func_attr({"num_input": 0})
        with R.dataflow():
            y = R.add(w, w)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((2, 2), dtype="float32"))) -> R.Tuple(R.Tensor((2, 2), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"y": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((2, 2), dtype="float32") = model_params[0]
            y: R.Tensor((2, 2), dtype="float32") = R.add(w, w)
            gv: R.Tuple(R.Tensor((2, 2), dtype="float32")) = (y,)
            R.output(gv)
        return gv

    @R.function
    def main(y: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        R.func_attr({"num_input": 0, "sunmao.param_transform": "main_transform_params"})
        return y
