# stop_lift_params stays where it is, and so does what is behind it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((3, 4), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            w1 = R.add(w, w)
            w2 = R.builtin.stop_lift_params(w1)
            wt = R.permute_dims(w2)
            y = R.matmul(x, wt)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((3, 4), dtype="float32"))) -> R.Tuple(R.Tensor((3, 4), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"w1": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((3, 4), dtype="float32") = model_params[0]
            w1: R.Tensor((3, 4), dtype="float32") = R.add(w, w)
            gv: R.Tuple(R.Tensor((3, 4), dtype="float32")) = (w1,)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((2, 4), dtype="float32"), w1: R.Tensor((3, 4), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        with R.dataflow():
            w2: R.Tensor((3, 4), dtype="float32") = R.builtin.stop_lift_params(w1)
            wt: R.Tensor((4, 3), dtype="float32") = R.permute_dims(w2)
            y: R.Tensor((2, 3), dtype="float32") = R.matmul(x, wt)
            R.output(y)
        return y
