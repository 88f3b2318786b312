# Means of bytes that are quantised again are sums of integers: over axes, and over windows as products with ones, around which there
# are zero points. What moves a mean moves the sums. A mean of rows stays, and so do windows that do not count their padding.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 4, 6, 6), "uint8"), y: R.Tensor((1, 4, 6, 6), "int8")):
        R.func_attr({"num_input": 2})
        with R.dataflow():
            a = R.dequantize(x, R.const(0.5, "float32"), R.const(3, "uint8"))
            b = R.mean(a, axis=[2, 3], keepdims=True)
            n = R.reshape(b, R.shape([1, 4]))
            c = R.quantize(n, R.const(0.25, "float32"), R.const(7, "uint8"), out_dtype="uint8")
            d = R.nn.adaptive_avg_pool2d(a, output_size=[1, 1])
            e = R.quantize(d, R.const(0.25, "float32"), R.const(7, "uint8"), out_dtype="uint8")
            f = R.dequantize(y, R.const(0.5, "float32"), R.const(-5, "int8"))
            g = R.nn.avg_pool2d(f, pool_size=(3, 3), strides=(2, 2), padding=(1, 1, 1, 1), count_include_pad=True)
            h = R.quantize(g, R.const(0.25, "float32"), R.const(7, "int8"), out_dtype="int8")
            i = R.mean(a, axis=[3])
            j = R.quantize(i, R.const(0.25, "float32"), R.const(7, "uint8"), out_dtype="uint8")
            k = R.nn.avg_pool2d(a, pool_size=(3, 3), padding=(1, 1, 1, 1))
            l = R.quantize(k, R.const(0.25, "float32"), R.const(7, "uint8"), out_dtype="uint8")
            m = (c, e, h, j, l)
            R.output(m)
        return m


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 4, 6, 6), dtype="uint8"), y: R.Tensor((1, 4, 6, 6), dtype="int8")) -> R.Tuple(R.Tensor((1, 4), dtype="uint8"), R.Tensor((1, 4, 1, 1), dtype="uint8"), R.Tensor((1, 4, 3, 3), dtype="int8"), R.Tensor((1, 4, 6), dtype="uint8"), R.Tensor((1, 4, 6, 6), dtype="uint8")):
        R.func_attr({"num_input": 2})
        with R.dataflow():
            a: R.Tensor((1, 4, 6, 6), dtype="float32") = R.dequantize(x, R.const(0.5, "float32"), R.const(3, "uint8"))
            lv: R.Tensor((1, 4, 6, 6), dtype="int32") = R.astype(x, dtype="int32")
            lv_1: R.Tensor((1, 4, 1, 1), dtype="int32") = R.sum(lv, axis=[2, 3], keepdims=True)
            lv_2: R.Tensor((1, 4, 1, 1), dtype="int32") = R.add(lv_1, R.const(-108, "int32"))
            lv_3: R.Tensor((1, 4, 1, 1), dtype="float32") = R.astype(lv_2, dtype="float32")
            lv_4: R.Tensor((), dtype="float32") = R.divide(R.const(0.5, "float32"), R.const(36.0, "float32"))
            lv_5: R.Tensor((1, 4), dtype="float32") = R.reshape(lv_3, R.shape([1, 4]))
            lv_6: R.Tensor((), dtype="float32") = R.divide(lv_4, R.const(0.25, "float32"))
            lv_7: R.Tensor((1, 4), dtype="float32") = R.multiply(lv_5, lv_6)
            lv_8: R.Tensor((1, 4), dtype="uint8") = R.quantize(lv_7, R.const(1.0, "float32"), R.const(7, "uint8"), out_dtype="uint8")
            lv_9: R.Tensor((1, 4, 6, 6), dtype="int32") = R.astype(x, dtype="int32")
            lv_10: R.Tensor((1, 4, 1, 1), dtype="int32") = R.sum(lv_9, axis=[2, 3], keepdims=True)
            lv_11: R.Tensor((1, 4, 1, 1), dtype="int32") = R.add(lv_10, R.const(-108, "int32"))
            lv_12: R.Tensor((1, 4, 1, 1), dtype="float32") = R.astype(lv_11, dtype="float32")
            lv_13: R.Tensor((), dtype="float32") = R.divide(R.const(0.5, "float32"), R.const(36.0, "float32"))
            lv_14: R.Tensor((), dtype="float32") = R.divide(lv_13, R.const(0.25, "float32"))
            lv_15: R.Tensor((1, 4, 1, 1), dtype="float32") = R.multiply(lv_12, lv_14)
            lv_16: R.Tensor((1, 4, 1, 1), dtype="uint8") = R.quantize(lv_15, R.const(1.0, "float32"), R.const(7, "uint8"), out_dtype="uint8")
            lv_17: R.Tensor((4, 1, 3, 3), dtype="int8") = R.ones(R.shape([4, 1, 3, 3]), dtype="int8")
            lv_18: R.Tensor((1, 4, 8, 8), dtype="int8") = R.nn.pad(y, pad_width=[0, 0, 0, 0, 1, 1, 1, 1], pad_value=-5.0)
            lv_19: R.Tensor((1, 4, 3, 3), dtype="float32") = R.nn.conv2d(lv_18, lv_17, strides=[2, 2], groups=4, out_dtype="float32")
            lv_20: R.Tensor((1, 4, 3, 3), dtype="float32") = R.add(lv_19, R.const(45.0, "float32"))
            lv_21: R.Tensor((), dtype="float32") = R.divide(R.const(0.5, "float32"), R.const(9.0, "float32"))
            lv_22: R.Tensor((), dtype="float32") = R.divide(lv_21, R.const(0.25, "float32"))
            lv_23: R.Tensor((1, 4, 3, 3), dtype="float32") = R.multiply(lv_20, lv_22)
            lv_24: R.Tensor((1, 4, 3, 3), dtype="uint8") = R.quantize(lv_23, R.const(1.0, "float32"), R.const(135, "uint8"), out_dtype="uint8")
            lv_25: R.Tensor((1, 4, 3, 3), dtype="int16") = R.astype(lv_24, dtype="int16")
            lv_26: R.Tensor((1, 4, 3, 3), dtype="int16") = R.add(lv_25, R.const(-128, "int16"))
            lv_27: R.Tensor((1, 4, 3, 3), dtype="int8") = R.astype(lv_26, dtype="int8")
            i: R.Tensor((1, 4, 6), dtype="float32") = R.mean(a, axis=[3])
            j: R.Tensor((1, 4, 6), dtype="uint8") = R.quantize(i, R.const(0.25, "float32"), R.const(7, "uint8"), out_dtype="uint8")
            k: R.Tensor((1, 4, 6, 6), dtype="float32") = R.nn.avg_pool2d(a, pool_size=[3, 3], padding=[1, 1, 1, 1])
            l: R.Tensor((1, 4, 6, 6), dtype="uint8") = R.quantize(k, R.const(0.25, "float32"), R.const(7, "uint8"), out_dtype="uint8")
            m: R.Tuple(R.Tensor((1, 4), dtype="uint8"), R.Tensor((1, 4, 1, 1), dtype="uint8"), R.Tensor((1, 4, 3, 3), dtype="int8"), R.Tensor((1, 4, 6), dtype="uint8"), R.Tensor((1, 4, 6, 6), dtype="uint8")) = (lv_8, lv_16, lv_27, j, l)
            R.output(m)
        return m
