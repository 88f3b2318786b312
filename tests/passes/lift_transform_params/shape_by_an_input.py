# Sizes that an input says stay with the function, also those that types name by it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(s: R.Shape(ndim=1), x: R.Tensor(s, "float32"), w: R.Tensor(s, "float32")):
        R.func_attr({"num_input": 2})
        v = R.add(w, w)
        y = R.add(x, v)
        return y


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor(("s_0",), dtype="float32"))) -> R.Tuple(R.Tensor(("s_0",), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"v": ["w"]}, "sunmao.weight_names": ["w"]})
        s_0 = T.int64()
        with R.dataflow():
            w: R.Tensor((s_0,), dtype="float32") = model_params[0]
            v: R.Tensor((s_0,), dtype="float32") = R.add(w, w)
            gv: R.Tuple(R.Tensor((s_0,), dtype="float32")) = (v,)
            R.output(gv)
        return gv

    @R.function
    def main(s: R.Shape(["s_0"]), x: R.Tensor(("s_0",), dtype="float32"), v: R.Tensor(("s_0",), dtype="float32")) -> R.Tensor(("s_0",), dtype="float32"):
        R.func_attr({"num_input": 2, "sunmao.param_transform": "main_transform_params"})
        s_0 = T.int64()
        y: R.Tensor((s_0,), dtype="float32") = R.add(x, v)
        return y
