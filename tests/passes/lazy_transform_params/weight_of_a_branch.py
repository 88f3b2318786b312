# What branches read is not fetched once more to let go of it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main_transform_params(w: R.Tensor((3,), "float32"), c: R.Tensor((), "bool")):
        R.func_attr({"num_input": 0})
        if c:
            e = R.exp(w)
        else:
            e = R.tanh(w)
        g = (e,)
        return g


@I.ir_module
class Expected:
    @R.function(pure=False)
    def main_transform_params() -> R.Tuple:
        R.func_attr({"num_input": 0})
        c_untyped: R.Any = R.call_packed("get_item", 1, ty_args=(R.Any,))
        c: R.Tensor((), dtype="bool") = R.match_cast(c_untyped, R.Tensor((), dtype="bool"))
        if c:
            w_untyped: R.Any = R.call_packed("get_item", 0, ty_args=(R.Any,))
            w: R.Tensor((3,), dtype="float32") = R.match_cast(w_untyped, R.Tensor((3,), dtype="float32"))
            e: R.Tensor((3,), dtype="float32") = R.exp(w)
        else:
            w_untyped_1: R.Any = R.call_packed("get_item", 0, ty_args=(R.Any,))
            w_1: R.Tensor((3,), dtype="float32") = R.match_cast(w_untyped_1, R.Tensor((3,), dtype="float32"))
            e: R.Tensor((3,), dtype="float32") = R.tanh(w_1)
        R.vm.kill_object(c)
        _: R.Any = R.call_packed("set_item", 0, e, ty_args=(R.Any,))
        g: R.Tuple = R.tuple()
        return g
