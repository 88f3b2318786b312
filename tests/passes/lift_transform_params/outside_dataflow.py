# Work outside of dataflow blocks moves as well.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((2, 3), "float32")):
        R.func_attr({"num_input": 1})
        t = R.permute_dims(w)
        _ = R.print(x, format="{}")
        y = R.matmul(x, t)
        return y


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((2, 3), dtype="float32"))) -> R.Tuple(R.Tensor((3, 2), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"t": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((2, 3), dtype="float32") = model_params[0]
            t: R.Tensor((3, 2), dtype="float32") = R.permute_dims(w)
            gv: R.Tuple(R.Tensor((3, 2), dtype="float32")) = (t,)
            R.output(gv)
        return gv

    @R.function(pure=False)
    def main(x: R.Tensor((2, 3), dtype="float32"), t: R.Tensor((3, 2), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        R.print(x, format=R.str("{}"))
        y: R.Tensor((2, 2), dtype="float32") = R.matmul(x, t)
        return y
