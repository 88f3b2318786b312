# What only a weight said of sizes comes as a shape, once nothing reads the weight.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor(("m", "k"), "float32")):
        R.func_attr({"num_input": 1})
        m = T.int64()
        k = T.int64()
        with R.dataflow():
            z = R.zeros((m, k), "float32")
            R.output(z)
        return z


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor(("m", "k"), dtype="float32"))) -> R.Tuple(R.Shape(["m", "k"])):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"vars_from_compile_time_params": ["w"]}, "sunmao.weight_names": ["w"]})
        m = T.int64()
        k = T.int64()
        with R.dataflow():
            gv: R.Tuple(R.Shape([m, k])) = (R.shape([m, k]),)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), vars_from_compile_time_params: R.Shape(["m", "k"])) -> R.Tensor(("m", "k"), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        n = T.int64()
        m = T.int64()
        k = T.int64()
        with R.dataflow():
            z: R.Tensor((m, k), dtype="float32") = R.zeros(R.shape([m, k]), dtype="float32")
            R.output(z)
        return z
