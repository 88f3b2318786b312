# A parameter takes the numbers as elements of its dtype.
# pass: bind-params(func_name=main, params={a: [1, 2.5], b: [1, 2.5], c: [-128, 3], d: [255, 3], e: [1, 0]})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(a: R.Tensor((2,), "float16"), b: R.Tensor((2,), "bfloat16"), c: R.Tensor((2,), "int8"), d: R.Tensor((2,), "uint8"), e: R.Tensor((2,), "bool")):
        return (a, b, c, d, e)


@I.ir_module
class Expected:
    @R.function
    def main():
        return (R.const([1.0, 2.5], "float16"), R.const([1.0, 2.5], "bfloat16"), R.const([-128, 3], "int8"), R.const([255, 3], "uint8"), R.const([True, False], "bool"))
