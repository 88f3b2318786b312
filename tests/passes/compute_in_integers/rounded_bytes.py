# Bytes that pass through bfloat16 are quantised again: it has too few bits to keep them.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 8), "uint8")):
        with R.dataflow():
            a = R.dequantize(x, R.const(0.3, "bfloat16"), R.const(0, "uint8"), axis=0, out_dtype="bfloat16")
            b = R.reshape(a, R.shape([8]))
            c = R.quantize(b, R.const(0.3, "bfloat16"), R.const(0, "uint8"), axis=0, out_dtype="uint8")
            R.output(c)
        return c


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 8), "uint8")):
        with R.dataflow():
            a = R.dequantize(x, R.const(0.3, "bfloat16"), R.const(0, "uint8"), axis=0, out_dtype="bfloat16")
            b = R.reshape(a, R.shape([8]))
            c = R.quantize(b, R.const(0.3, "bfloat16"), R.const(0, "uint8"), axis=0, out_dtype="uint8")
            R.output(c)
        return c
