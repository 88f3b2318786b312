# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T



@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), y: R.Tensor((4, 40), "float32")):
        R.func_attr({"num_input": 2})
        z = R.matmul(x, y)
        return z
