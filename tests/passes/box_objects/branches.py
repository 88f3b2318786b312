from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(c: R.Tensor((1,), "float32"), x: R.Tensor((2,), "float32"), open: R.Tensor) -> R.Tensor:
        if c:
            y: R.Tensor = x
        else:
            y: R.Tensor = open
        return y


@I.ir_module
class Expected:
    @R.function
    def main(c: R.Tensor((1,), dtype="float32"), x: R.Tensor((2,), dtype="float32"), open: R.Tensor((), dtype="handle")) -> R.Tensor((), dtype="handle"):
        R.call_pure_packed("vm.builtin.check_tensor_info", open, -1, R.str("param_open:"), ty_args=(R.Tuple,))
        open_1: R.Tensor((), dtype="handle") = open
        cond: R.Tensor((), dtype="bool") = R.call_pure_packed("vm.builtin.read_if_cond", c, ty_args=(R.Tensor((), dtype="bool"),))
        if cond:
            x_1: R.Tensor((), dtype="handle") = R.call_pure_packed("sunmao.box", x, ty_args=(R.Tensor((), dtype="handle"),))
            out: R.Tensor((), dtype="handle") = x_1
            y: R.Tensor((), dtype="handle") = out
        else:
            out_1: R.Tensor((), dtype="handle") = open
            y: R.Tensor((), dtype="handle") = out_1
        return_of_main: R.Tensor((), dtype="handle") = y
        return return_of_main
