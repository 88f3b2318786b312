# Raw weights that are outputs and that no binding reads are set at the end.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Before:
    @R.function
    def main_transform_params(a: R.Tensor((2, 3), "float32"), b: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 0})
        t = R.permute_dims(a)
        return (b, t, b)


@I.ir_module
class Expected:
    @R.function(pure=False)
    def main_transform_params() -> R.Tuple:
        R.func_attr({"num_input": 0})
        a_untyped: R.Any = R.call_packed("get_item", 0, ty_args=(R.Any,))
        a: R.Tensor((2, 3), dtype="float32") = R.match_cast(a_untyped, R.Tensor((2, 3), dtype="float32"))
        t: R.Tensor((3, 2), dtype="float32") = R.permute_dims(a)
        R.vm.kill_object(a)
        _: R.Any = R.call_packed("set_item", 1, t, ty_args=(R.Any,))
        b_untyped: R.Any = R.call_packed("get_item", 1, ty_args=(R.Any,))
        b: R.Tensor((4,), dtype="float32") = R.match_cast(b_untyped, R.Tensor((4,), dtype="float32"))
        __1: R.Any = R.call_packed("set_item", 0, b, ty_args=(R.Any,))
        __2: R.Any = R.call_packed("set_item", 2, b, ty_args=(R.Any,))
        R.vm.kill_object(b)
        return R.tuple()
