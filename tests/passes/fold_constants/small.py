# A call on constants becomes its value.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T



@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        a = R.add(R.const([1.0, 2.0], "float32"), R.const([3.0, 4.0], "float32"))
        b = R.add(x, a)
        return b


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        a = R.const([4.0, 6.0], "float32")
        b = R.add(x, a)
        return b
