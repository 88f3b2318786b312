# error
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n",), "float32")):  # E0538: the attribute `tir_var_upper_bound` is not a map
        R.func_attr({"tir_var_upper_bound": {"n": [4]}})
        return x
