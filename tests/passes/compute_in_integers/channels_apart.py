# Sums of each channel apart are of float32, which holds them without rounding; the weight loses its zero points first.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(m: R.Tensor((1, 4, 5, 5), "int8"), v: R.Tensor((4, 1, 3, 3), "uint8")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            n = R.dequantize(m, R.const(0.5, "float32"), R.const(-128, "int8"))
            o = R.dequantize(v, R.const(0.5, "float32"), R.const(120, "uint8"))
            p = R.nn.conv2d(n, o, padding=1, groups=4)
            y = R.quantize(p, R.const(0.5, "float32"), R.const(0, "int8"), axis=1, out_dtype="int8")
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(m: R.Tensor((1, 4, 5, 5), "int8"), v: R.Tensor((4, 1, 3, 3), "uint8")) -> R.Tensor((1, 4, 5, 5), dtype="int8"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            lv = R.astype(m, dtype="int16")
            lv_1 = R.add(lv, R.const(128, "int16"))
            lv_2 = R.astype(lv_1, dtype="uint8")
            lv_3 = R.astype(v, dtype="float32")
            lv_4 = R.astype(R.const(120, "uint8"), dtype="float32")
            lv_5 = R.subtract(lv_3, lv_4)
            lv_6 = R.nn.conv2d(lv_2, lv_5, padding=[1, 1, 1, 1], groups=4, out_dtype="float32")
            lv_7 = R.multiply(R.const(0.5, "float32"), R.const(0.5, "float32"))
            lv_8 = R.abs(lv_7)
            lv_9 = R.less(lv_8, R.const(1e-25, "float32"))
            lv_10 = R.where(lv_9, R.const(1e-25, "float32"), lv_7)
            lv_11 = R.divide(lv_10, R.const(0.5, "float32"))
            lv_12 = R.multiply(lv_6, lv_11)
            lv_13 = R.quantize(lv_12, R.const(1.0, "float32"), R.const(128, "uint8"), axis=1, out_dtype="uint8")
            lv_14 = R.astype(lv_13, dtype="int16")
            lv_15 = R.add(lv_14, R.const(-128, "int16"))
            lv_16 = R.astype(lv_15, dtype="int8")
            y: R.Tensor((1, 4, 5, 5), dtype="int8") = lv_16
            R.output(y)
        return y

