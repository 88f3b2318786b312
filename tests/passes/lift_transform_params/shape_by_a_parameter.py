# A shape that types name by a parameter is written out: it can be said in both functions.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2,), "float32"), s: R.Shape(ndim=1), w: R.Tensor(s, "float32")):
        R.func_attr({"num_input": 1})
        y = R.add(w, w)
        return y


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Shape(["s_0"]), R.Tensor(("s_0",), dtype="float32"))) -> R.Tuple(R.Tensor(("s_0",), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"y": ["w"]}, "sunmao.weight_names": ["s", "w"]})
        s_0 = T.int64()
        with R.dataflow():
            w: R.Tensor((s_0,), dtype="float32") = model_params[1]
            y: R.Tensor((s_0,), dtype="float32") = R.add(w, w)
            gv: R.Tuple(R.Tensor((s_0,), dtype="float32")) = (y,)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((2,), dtype="float32"), y: R.Tensor(("s_0",), dtype="float32")) -> R.Tensor(("s_0",), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        s_0 = T.int64()
        return y
