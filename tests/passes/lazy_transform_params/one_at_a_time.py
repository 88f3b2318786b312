# Each weight comes when it is needed, and goes behind its last use.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((3, 4), "float32"), R.Tensor(("k",), "float32"))):
        R.func_attr({"num_input": 0})
        k = T.int64()
        with R.dataflow():
            w = model_params[0]
            t = R.permute_dims(w)
            b = model_params[1]
            gv = (b, t)
            R.output(gv)
        return gv


@I.ir_module
class Expected:
    @R.function(pure=False)
    def main_transform_params() -> R.Tuple:
        R.func_attr({"num_input": 0})
        k = T.int64()
        param_0_untyped: R.Any = R.call_packed("get_item", 0, ty_args=(R.Any,))
        param_0: R.Tensor((3, 4), dtype="float32") = R.match_cast(param_0_untyped, R.Tensor((3, 4), dtype="float32"))
        w: R.Tensor((3, 4), dtype="float32") = param_0
        t: R.Tensor((4, 3), dtype="float32") = R.permute_dims(w)
        R.vm.kill_object(w)
        _: R.Any = R.call_packed("set_item", 1, t, ty_args=(R.Any,))
        param_1_untyped: R.Any = R.call_packed("get_item", 1, ty_args=(R.Any,))
        param_1: R.Tensor((k,), dtype="float32") = R.match_cast(param_1_untyped, R.Tensor((k,), dtype="float32"))
        b: R.Tensor((k,), dtype="float32") = param_1
        __1: R.Any = R.call_packed("set_item", 0, b, ty_args=(R.Any,))
        R.vm.kill_object(b)
        gv: R.Tuple = R.tuple()
        return gv
