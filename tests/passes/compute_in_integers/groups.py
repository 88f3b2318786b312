# Sums of groups of up to 8 results are of float32, which holds them without rounding, whatever their channels and zero points; a
# zero point keeps larger groups in float32.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 6, 4, 4), "uint8"), y: R.Tensor((1, 8, 4, 4), "uint8"), v: R.Tensor((16, 3, 3, 3), "uint8"), w: R.Tensor((18, 4, 3, 3), "uint8")):
        R.func_attr({"num_input": 2})
        with R.dataflow():
            a = R.dequantize(x, R.const(0.5, "float32"), R.const(3, "uint8"))
            b = R.dequantize(v, R.const(0.25, "float32"), R.const(120, "uint8"))
            c = R.nn.conv2d(a, b, groups=2)
            d = R.dequantize(y, R.const(0.5, "float32"), R.const(3, "uint8"))
            e = R.dequantize(w, R.const(0.25, "float32"), R.const(120, "uint8"))
            f = R.nn.conv2d(d, e, groups=2)
            g = (c, f)
            R.output(g)
        return g


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 6, 4, 4), dtype="uint8"), y: R.Tensor((1, 8, 4, 4), dtype="uint8"), v: R.Tensor((16, 3, 3, 3), dtype="uint8"), w: R.Tensor((18, 4, 3, 3), dtype="uint8")) -> R.Tuple(R.Tensor((1, 16, 2, 2), dtype="float32"), R.Tensor((1, 18, 2, 2), dtype="float32")):
        R.func_attr({"num_input": 2})
        with R.dataflow():
            lv: R.Tensor((16, 3, 3, 3), dtype="float32") = R.astype(v, dtype="float32")
            lv_1: R.Tensor((), dtype="float32") = R.astype(R.const(120, "uint8"), dtype="float32")
            lv_2: R.Tensor((16, 3, 3, 3), dtype="float32") = R.subtract(lv, lv_1)
            lv_3: R.Tensor((1, 16, 2, 2), dtype="float32") = R.nn.conv2d(x, lv_2, groups=2, out_dtype="float32")
            lv_4: R.Tensor((16, 3, 3, 3), dtype="int32") = R.astype(lv_2, dtype="int32")
            lv_5: R.Tensor((16,), dtype="int32") = R.sum(lv_4, axis=[1, 2, 3])
            lv_6: R.Tensor((16,), dtype="int32") = R.multiply(lv_5, R.const(-3, "int32"))
            lv_7: R.Tensor((16,), dtype="float32") = R.astype(lv_6, dtype="float32")
            lv_8: R.Tensor((1, 16, 1, 1), dtype="float32") = R.expand_dims(lv_7, axis=[0, 2, 3])
            lv_9: R.Tensor((1, 16, 2, 2), dtype="float32") = R.add(lv_3, lv_8)
            lv_10: R.Tensor((), dtype="float32") = R.multiply(R.const(0.5, "float32"), R.const(0.25, "float32"))
            lv_11: R.Tensor((), dtype="float32") = R.abs(lv_10)
            lv_12: R.Tensor((), dtype="bool") = R.less(lv_11, R.const(1e-25, "float32"))
            lv_13: R.Tensor((), dtype="float32") = R.where(lv_12, R.const(1e-25, "float32"), lv_10)
            lv_14: R.Tensor((1, 16, 2, 2), dtype="float32") = R.multiply(lv_9, lv_13)
            d: R.Tensor((1, 8, 4, 4), dtype="float32") = R.dequantize(y, R.const(0.5, "float32"), R.const(3, "uint8"))
            e: R.Tensor((18, 4, 3, 3), dtype="float32") = R.dequantize(w, R.const(0.25, "float32"), R.const(120, "uint8"))
            f: R.Tensor((1, 18, 2, 2), dtype="float32") = R.nn.conv2d(d, e, groups=2)
            g: R.Tuple(R.Tensor((1, 16, 2, 2), dtype="float32"), R.Tensor((1, 18, 2, 2), dtype="float32")) = (lv_14, f)
            R.output(g)
        return g
