# A uint8 parameter takes the numbers as elements of its dtype.
# pass: bind-params(func_name=main, params={x: [255, 3]})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2,), "uint8")):
        return x


@I.ir_module
class Expected:
    @R.function
    def main():
        return R.const([255, 3], "uint8")
