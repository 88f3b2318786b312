from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def scaled(x: R.Tensor((2,), "float32"), by: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        y = R.multiply(x, by)
        return y

    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32"), f: R.Callable((R.Tensor((2,), "float32"),), R.Tensor((2,), "float32"), False)):
        cls = Before
        g = R.make_closure(cls.scaled, (x,))
        y = R.invoke_pure_closure(g, (x,), ty_args=(R.Tensor((2,), "float32"),))
        z = f(y)
        return (z, g)


@I.ir_module
class Expected:
    @R.function
    def scaled(x: R.Tensor((2,), dtype="float32"), by: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        y: R.Tensor((2,), dtype="float32") = R.multiply(x, by)
        return y

    @R.function(pure=False)
    def main(x: R.Tensor((2,), dtype="float32"), f: R.Tensor((), dtype="handle")) -> R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((), dtype="handle")):
        R.call_pure_packed("vm.builtin.check_func_info", f, R.str("param_f:"), ty_args=(R.Tuple,))
        f_1: R.Tensor((), dtype="handle") = f
        g: R.Tensor((), dtype="handle") = R.call_pure_packed("vm.builtin.make_closure", R.str("scaled"), x, ty_args=(R.Tensor((), dtype="handle"),))
        y: R.Tensor((2,), dtype="float32") = R.call_pure_packed("vm.builtin.invoke_closure", g, x, ty_args=(R.Tensor((2,), dtype="float32"),))
        z: R.Tensor((2,), dtype="float32") = R.call_packed("vm.builtin.invoke_closure", f, y, ty_args=(R.Tensor((2,), dtype="float32"),))
        return_of_main: R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((), dtype="handle")) = (z, g)
        return return_of_main
