# unchanged
# What an earlier run made of sizes stays as it is.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor(("m",), "float32"))):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.weight_names": ["w"]})
        m = T.int64()
        with R.dataflow():
            gv = (R.shape([m]),)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((4,), "float32"), vars_from_compile_time_params: R.Shape(["m"])):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        m = T.int64()
        z = R.zeros((m,), "float32")
        return z
