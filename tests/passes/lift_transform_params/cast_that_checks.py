# A cast against a size that a weight says still checks it: the size is handed over.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor("float32", ndim=1), w: R.Tensor(("n", 3), "float32")):
        n = T.int64()
        R.func_attr({"num_input": 1})
        s = R.sum(w)
        y = R.match_cast(x, R.Tensor((n,), "float32"))
        z = R.add(y, s)
        return z


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor(("n", 3), dtype="float32"))) -> R.Tuple(R.Shape(["n"]), R.Tensor((), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"s": ["w"], "vars_from_compile_time_params": ["w"]}, "sunmao.weight_names": ["w"]})
        n = T.int64()
        with R.dataflow():
            w: R.Tensor((n, 3), dtype="float32") = model_params[0]
            s: R.Tensor((), dtype="float32") = R.sum(w)
            gv: R.Tuple(R.Shape([n]), R.Tensor((), dtype="float32")) = (R.shape([n]), s)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor(dtype="float32", ndim=1), vars_from_compile_time_params: R.Shape(["n"]), s: R.Tensor((), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        n = T.int64()
        y: R.Tensor((n,), dtype="float32") = R.match_cast(x, R.Tensor((n,), dtype="float32"))
        z: R.Tensor((n,), dtype="float32") = R.add(y, s)
        return z
