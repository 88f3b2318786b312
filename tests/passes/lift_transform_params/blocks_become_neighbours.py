# Dataflow blocks that nothing is left between become one, as they are read again.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((3,), "float32"), w: R.Tensor((3,), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a = R.exp(x)
            R.output(a)
        t = R.exp(w)
        with R.dataflow():
            y = R.multiply(a, t)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((3,), dtype="float32"))) -> R.Tuple(R.Tensor((3,), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"t": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((3,), dtype="float32") = model_params[0]
            t: R.Tensor((3,), dtype="float32") = R.exp(w)
            gv: R.Tuple(R.Tensor((3,), dtype="float32")) = (t,)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((3,), dtype="float32"), t: R.Tensor((3,), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        with R.dataflow():
            a: R.Tensor((3,), dtype="float32") = R.exp(x)
            y: R.Tensor((3,), dtype="float32") = R.multiply(a, t)
            R.output(a, y)
        return y
