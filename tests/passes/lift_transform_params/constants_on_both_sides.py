# What is made of nothing is made on both sides.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            o = R.ones((4,), "float32")
            x1 = R.add(x, o)
            w1 = R.add(w, o)
            y = R.add(x1, w1)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((4,), dtype="float32"))) -> R.Tuple(R.Tensor((4,), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"w1": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            o: R.Tensor((4,), dtype="float32") = R.ones(R.shape([4]), dtype="float32")
            w: R.Tensor((4,), dtype="float32") = model_params[0]
            w1: R.Tensor((4,), dtype="float32") = R.add(w, o)
            gv: R.Tuple(R.Tensor((4,), dtype="float32")) = (w1,)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), w1: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        with R.dataflow():
            o: R.Tensor((4,), dtype="float32") = R.ones(R.shape([4]), dtype="float32")
            x1: R.Tensor((4,), dtype="float32") = R.add(x, o)
            y: R.Tensor((4,), dtype="float32") = R.add(x1, w1)
            R.output(y)
        return y
