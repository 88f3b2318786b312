# A constant is read where its name was; the binding stays.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        a = R.const([1.0, 2.0, 3.0, 4.0], "float32")
        b = R.add(x, a)
        return b


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        a = R.const([1.0, 2.0, 3.0, 4.0], "float32")
        b = R.add(x, R.const([1.0, 2.0, 3.0, 4.0], "float32"))
        return b
