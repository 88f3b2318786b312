# Nested calls become bindings of their own, in the order of evaluation.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T



@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 3), "float32")):
        y = R.nn.relu(R.matmul(R.add(x, x), w))
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 3), "float32")):
        lv = R.add(x, x)
        lv1 = R.matmul(lv, w)
        y = R.nn.relu(lv1)
        return y
