# A transform that gives what it takes hands over each weight.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((3, 4), "float32"), R.Tensor((4,), "float32"))):
        R.func_attr({"num_input": 0})
        return model_params


@I.ir_module
class Expected:
    @R.function(pure=False)
    def main_transform_params() -> R.Tuple:
        R.func_attr({"num_input": 0})
        param_0_untyped: R.Any = R.call_packed("get_item", 0, ty_args=(R.Any,))
        param_0: R.Tensor((3, 4), dtype="float32") = R.match_cast(param_0_untyped, R.Tensor((3, 4), dtype="float32"))
        output_0: R.Tensor((3, 4), dtype="float32") = param_0
        _: R.Any = R.call_packed("set_item", 0, output_0, ty_args=(R.Any,))
        R.vm.kill_object(output_0)
        param_1_untyped: R.Any = R.call_packed("get_item", 1, ty_args=(R.Any,))
        param_1: R.Tensor((4,), dtype="float32") = R.match_cast(param_1_untyped, R.Tensor((4,), dtype="float32"))
        output_1: R.Tensor((4,), dtype="float32") = param_1
        __1: R.Any = R.call_packed("set_item", 1, output_1, ty_args=(R.Any,))
        R.vm.kill_object(output_1)
        return R.tuple()
