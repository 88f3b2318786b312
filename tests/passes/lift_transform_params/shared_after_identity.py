# Undoing a transform that does nothing leaves no empty block.
# pass: lift-transform-params(shared_transform=True)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((3,), "float32")):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        y = R.exp(x)
        return y

    @R.function
    def main_transform_params(model_params: R.Tuple) -> R.Tuple:
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.weight_names": []})
        return R.tuple()


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((3,), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "transform_params"})
        y: R.Tensor((3,), dtype="float32") = R.exp(x)
        return y

    @R.function
    def transform_params(model_params: R.Tuple) -> R.Tuple:
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {}, "sunmao.weight_names": []})
        return R.tuple()
