# With bounds on both sizes the cheaper order can be told.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", 4096), "float32"), a: R.Tensor((4096, "r"), "float32"), b: R.Tensor(("r", 4096), "float32")):
        R.func_attr({"tir_var_upper_bound": {"n": 2048, "r": 2048}})
        w = R.matmul(a, b)
        y = R.matmul(x, w)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n", 4096), "float32"), a: R.Tensor((4096, "r"), "float32"), b: R.Tensor(("r", 4096), "float32")):
        R.func_attr({"tir_var_upper_bound": {"n": 2048, "r": 2048}})
        p = R.matmul(x, a)
        y = R.matmul(p, b)
        return y
