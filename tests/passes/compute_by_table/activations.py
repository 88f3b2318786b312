# An activation whose parts are quantised too is a table, behind a reshape as well; tables are computed by the same ops.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 4, 32, 32), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            q = R.quantize(x, R.const(0.05, "float32"), R.const(128, "uint8"), axis=1, out_dtype="uint8")
            d = R.dequantize(q, R.const(0.05, "float32"), R.const(128, "uint8"), axis=1)
            s = R.sigmoid(d)
            t = R.quantize(s, R.const(0.004, "float32"), R.const(0, "uint8"), axis=1, out_dtype="uint8")
            u = R.dequantize(t, R.const(0.004, "float32"), R.const(0, "uint8"), axis=1)
            v = R.multiply(d, u)
            w = R.reshape(v, (4, 1024))
            y = R.quantize(w, R.const(0.06, "float32"), R.const(-3, "int8"), axis=1, out_dtype="int8")
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 4, 32, 32), "float32")) -> R.Tensor((4, 1024), dtype="int8"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            q = R.quantize(x, R.const(0.05, "float32"), R.const(128, "uint8"), axis=1, out_dtype="uint8")
            lv = R.arange(0, 256, 1, dtype="int32")
            lv_1 = R.astype(lv, dtype="uint8")
            lv_2 = R.dequantize(lv_1, R.const(0.05, "float32"), R.const(128, "uint8"), axis=0)
            lv_3 = R.sigmoid(lv_2)
            lv_4 = R.quantize(lv_3, R.const(0.004, "float32"), R.const(0, "uint8"), axis=0, out_dtype="uint8")
            lv_5 = R.dequantize(lv_4, R.const(0.004, "float32"), R.const(0, "uint8"), axis=0)
            lv_6 = R.multiply(lv_2, lv_5)
            lv_7 = R.reshape(q, R.shape([4, 1024]))
            lv_8 = R.quantize(lv_6, R.const(0.06, "float32"), R.const(-3, "int8"), axis=0)
            lv_9 = R.take(lv_8, lv_7, axis=0)
            y: R.Tensor((4, 1024), dtype="int8") = lv_9
            R.output(y)
        return y

