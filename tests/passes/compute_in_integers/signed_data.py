# Data of int8 is kept as uint8, 128 higher, through a pool as well, which takes the place of one between `dequantize`
# and `quantize`. A result is int8 as before.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 16, 4, 4), "float32"), w: R.Tensor((4, 16, 1, 1), "int8"), ws: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            q = R.quantize(x, R.const(0.5, "float32"), R.const(-128, "int8"), axis=1, out_dtype="int8")
            d = R.dequantize(q, R.const(0.5, "float32"), R.const(-128, "int8"), axis=1)
            p = R.nn.max_pool2d(d, pool_size=[2, 2], strides=[2, 2])
            q2 = R.quantize(p, R.const(0.5, "float32"), R.const(-128, "int8"), axis=1, out_dtype="int8")
            d2 = R.dequantize(q2, R.const(0.5, "float32"), R.const(-128, "int8"), axis=1)
            f = R.dequantize(w, ws, R.const(0, "int8"), axis=0)
            c = R.nn.conv2d(d2, f)
            q3 = R.quantize(c, R.const(0.25, "float32"), R.const(2, "int8"), axis=1, out_dtype="int8")
            R.output(q3)
        return q3


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 16, 4, 4), "float32"), w: R.Tensor((4, 16, 1, 1), "int8"), ws: R.Tensor((4,), "float32")) -> R.Tensor((1, 4, 2, 2), dtype="int8"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            lv = R.quantize(x, R.const(0.5, "float32"), R.const(0, "uint8"), axis=1, out_dtype="uint8")
            lv_1 = R.nn.max_pool2d(lv, pool_size=[2, 2], strides=[2, 2])
            lv_2 = R.nn.conv2d(lv_1, w, out_dtype="int32")
            lv_3 = R.astype(lv_2, dtype="float32")
            lv_4 = R.multiply(R.const(0.5, "float32"), ws)
            lv_5 = R.abs(lv_4)
            lv_6 = R.less(lv_5, R.const(1e-25, "float32"))
            lv_7 = R.where(lv_6, R.const(1e-25, "float32"), lv_4)
            lv_8 = R.divide(lv_7, R.const(0.25, "float32"))
            lv_9 = R.expand_dims(lv_8, axis=[0, 2, 3])
            lv_10 = R.multiply(lv_3, lv_9)
            lv_11 = R.quantize(lv_10, R.const(1.0, "float32"), R.const(130, "uint8"), axis=1, out_dtype="uint8")
            lv_12 = R.astype(lv_11, dtype="int16")
            lv_13 = R.add(lv_12, R.const(-128, "int16"))
            lv_14 = R.astype(lv_13, dtype="int8")
            q3: R.Tensor((1, 4, 2, 2), dtype="int8") = lv_14
            R.output(q3)
        return q3

