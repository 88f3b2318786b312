# Convolutions of quantised data become sums of integers: padding has the zero point, a bias is added before the scale,
# the scale of the next bytes is multiplied in, and what a convolution and others read stays bytes.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 8, 4, 4), "float32"), w: R.Tensor((16, 8, 3, 3), "int8"), ws: R.Tensor((16,), "float32"), b: R.Tensor((16,), "int32"), bs: R.Tensor((16,), "float32"), v: R.Tensor((8, 16, 1, 1), "int8")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            q = R.quantize(x, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1, out_dtype="uint8")
            d = R.dequantize(q, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1)
            f = R.dequantize(w, ws, R.const(0, "int8"), axis=0)
            c = R.nn.conv2d(d, f, padding=1)
            g = R.dequantize(b, bs, R.const(0, "int32"), axis=0)
            e = R.reshape(g, (1, 16, 1, 1))
            s = R.add(c, e)
            r = R.nn.relu(s)
            q2 = R.quantize(r, R.const(0.25, "float32"), R.const(0, "uint8"), axis=1, out_dtype="uint8")
            d2 = R.dequantize(q2, R.const(0.25, "float32"), R.const(0, "uint8"), axis=1)
            f2 = R.dequantize(v, R.const(0.125, "float32"), R.const(0, "int8"), axis=0)
            c2 = R.nn.conv2d(d2, f2)
            y = R.add(c2, d)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 8, 4, 4), "float32"), w: R.Tensor((16, 8, 3, 3), "int8"), ws: R.Tensor((16,), "float32"), b: R.Tensor((16,), "int32"), bs: R.Tensor((16,), "float32"), v: R.Tensor((8, 16, 1, 1), "int8")) -> R.Tensor((1, 8, 4, 4), dtype="float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            q = R.quantize(x, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1, out_dtype="uint8")
            d = R.dequantize(q, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1)
            lv = R.nn.pad(q, pad_width=[0, 0, 0, 0, 1, 1, 1, 1], pad_value=3.0)
            lv_1 = R.nn.conv2d(lv, w, out_dtype="int32")
            lv_2 = R.astype(w, dtype="int32")
            lv_3 = R.sum(lv_2, axis=[1, 2, 3])
            lv_4 = R.multiply(lv_3, R.const(-3, "int32"))
            lv_5 = R.expand_dims(lv_4, axis=[0, 2, 3])
            lv_6 = R.add(lv_1, lv_5)
            lv_7 = R.astype(lv_6, dtype="float32")
            lv_8 = R.multiply(R.const(0.5, "float32"), ws)
            lv_9 = R.abs(lv_8)
            lv_10 = R.less(lv_9, R.const(1e-25, "float32"))
            lv_11 = R.where(lv_10, R.const(1e-25, "float32"), lv_8)
            g = R.dequantize(b, bs, R.const(0, "int32"), axis=0)
            e = R.reshape(g, R.shape([1, 16, 1, 1]))
            lv_12 = R.reshape(e, R.shape([16]))
            lv_13 = R.divide(lv_12, lv_11)
            lv_14 = R.clip(lv_13, T.float32(-1e+38), T.float32(1e+38))
            lv_15 = R.expand_dims(lv_14, axis=[0, 2, 3])
            lv_16 = R.add(lv_7, lv_15)
            lv_17 = R.divide(lv_11, R.const(0.25, "float32"))
            lv_18 = R.expand_dims(lv_17, axis=[0, 2, 3])
            lv_19 = R.multiply(lv_16, lv_18)
            lv_21 = R.quantize(lv_19, R.const(1.0, "float32"), R.const(0, "uint8"), axis=1, out_dtype="uint8")
            lv_22 = R.nn.conv2d(lv_21, v, out_dtype="int32")
            lv_23 = R.astype(lv_22, dtype="float32")
            lv_24 = R.multiply(R.const(0.25, "float32"), R.const(0.125, "float32"))
            lv_25 = R.abs(lv_24)
            lv_26 = R.less(lv_25, R.const(1e-25, "float32"))
            lv_27 = R.where(lv_26, R.const(1e-25, "float32"), lv_24)
            lv_28 = R.multiply(lv_23, lv_27)
            y = R.add(lv_28, d)
            R.output(y)
        return y

