# A tuple that comes back as it is goes field by field.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((2,), "float32"), R.Tensor((3,), "float32"))):
        R.func_attr({"num_input": 0})
        return model_params


@I.ir_module
class Expected:
    @R.function(pure=False)
    def main_transform_params(fset_output: R.Callable((T.int64, R.Any), R.Tuple, False), model_params: R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((3,), dtype="float32"))) -> R.Tuple:
        R.func_attr({"num_input": 1})
        output_0: R.Tensor((2,), dtype="float32") = model_params[0]
        fset_output(0, output_0)
        output_1: R.Tensor((3,), dtype="float32") = model_params[1]
        fset_output(1, output_1)
        return R.tuple()
