# Sums stay that int32 may not hold: above its zero point of 0, a byte of this weight is up to 255.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 40000), "uint8"), w: R.Tensor((40000, 4), "uint8")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a = R.dequantize(x, R.const(0.5, "float32"), R.const(3, "uint8"))
            b = R.dequantize(w, R.const(0.25, "float32"), R.const(0, "uint8"))
            c = R.matmul(a, b)
            R.output(c)
        return c


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 40000), "uint8"), w: R.Tensor((40000, 4), "uint8")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a = R.dequantize(x, R.const(0.5, "float32"), R.const(3, "uint8"))
            b = R.dequantize(w, R.const(0.25, "float32"), R.const(0, "uint8"))
            c = R.matmul(a, b)
            R.output(c)
        return c
