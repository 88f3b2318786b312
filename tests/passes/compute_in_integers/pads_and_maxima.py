# Zeros around a tensor are zero points around its bytes, and the highest numbers of windows are the highest bytes, whatever scale they
# have afterwards. Other numbers around a tensor keep it in float32.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 4, 6, 6), "float32"), w: R.Tensor((4, 4, 3, 3), "int8")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a = R.quantize(x, R.const(0.5, "float32"), R.const(3, "int8"), out_dtype="int8")
            b = R.dequantize(a, R.const(0.5, "float32"), R.const(3, "int8"))
            c = R.nn.pad(b, pad_width=[0, 0, 0, 0, 1, 1, 1, 1])
            d = R.dequantize(w, R.const(0.25, "float32"), R.const(0, "int8"))
            e = R.nn.conv2d(c, d)
            f = R.nn.max_pool2d(b, pool_size=(2, 2), strides=(2, 2))
            g = R.quantize(f, R.const(0.25, "float32"), R.const(7, "uint8"), out_dtype="uint8")
            h = R.nn.pad(b, pad_width=[0, 0, 0, 0, 1, 1, 1, 1], pad_value=1.0)
            i = R.quantize(h, R.const(0.5, "float32"), R.const(3, "int8"), out_dtype="int8")
            j = (e, g, i)
            R.output(j)
        return j


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 4, 6, 6), dtype="float32"), w: R.Tensor((4, 4, 3, 3), dtype="int8")) -> R.Tuple(R.Tensor((1, 4, 6, 6), dtype="float32"), R.Tensor((1, 4, 3, 3), dtype="uint8"), R.Tensor((1, 4, 8, 8), dtype="int8")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            lv: R.Tensor((1, 4, 6, 6), dtype="uint8") = R.quantize(x, R.const(0.5, "float32"), R.const(131, "uint8"), out_dtype="uint8")
            b: R.Tensor((1, 4, 6, 6), dtype="float32") = R.dequantize(lv, R.const(0.5, "float32"), R.const(131, "uint8"))
            lv_1: R.Tensor((1, 4, 8, 8), dtype="uint8") = R.nn.pad(lv, pad_width=[0, 0, 0, 0, 1, 1, 1, 1], pad_value=131.0)
            lv_2: R.Tensor((1, 4, 6, 6), dtype="int32") = R.nn.conv2d(lv_1, w, out_dtype="int32")
            lv_3: R.Tensor((4, 4, 3, 3), dtype="int32") = R.astype(w, dtype="int32")
            lv_4: R.Tensor((4,), dtype="int32") = R.sum(lv_3, axis=[1, 2, 3])
            lv_5: R.Tensor((4,), dtype="int32") = R.multiply(lv_4, R.const(-131, "int32"))
            lv_6: R.Tensor((1, 4, 1, 1), dtype="int32") = R.expand_dims(lv_5, axis=[0, 2, 3])
            lv_7: R.Tensor((1, 4, 6, 6), dtype="int32") = R.add(lv_2, lv_6)
            lv_8: R.Tensor((1, 4, 6, 6), dtype="float32") = R.astype(lv_7, dtype="float32")
            lv_9: R.Tensor((), dtype="float32") = R.multiply(R.const(0.5, "float32"), R.const(0.25, "float32"))
            lv_10: R.Tensor((), dtype="float32") = R.abs(lv_9)
            lv_11: R.Tensor((), dtype="bool") = R.less(lv_10, R.const(1e-25, "float32"))
            lv_12: R.Tensor((), dtype="float32") = R.where(lv_11, R.const(1e-25, "float32"), lv_9)
            lv_13: R.Tensor((1, 4, 6, 6), dtype="float32") = R.multiply(lv_8, lv_12)
            lv_14: R.Tensor((1, 4, 3, 3), dtype="uint8") = R.nn.max_pool2d(lv, pool_size=[2, 2], strides=[2, 2])
            lv_15: R.Tensor((1, 4, 3, 3), dtype="float32") = R.dequantize(lv_14, R.const(0.5, "float32"), R.const(131, "uint8"), axis=0)
            g: R.Tensor((1, 4, 3, 3), dtype="uint8") = R.quantize(lv_15, R.const(0.25, "float32"), R.const(7, "uint8"), out_dtype="uint8")
            h: R.Tensor((1, 4, 8, 8), dtype="float32") = R.nn.pad(b, pad_width=[0, 0, 0, 0, 1, 1, 1, 1], pad_value=1.0)
            i: R.Tensor((1, 4, 8, 8), dtype="int8") = R.quantize(h, R.const(0.5, "float32"), R.const(3, "int8"))
            j: R.Tuple(R.Tensor((1, 4, 6, 6), dtype="float32"), R.Tensor((1, 4, 3, 3), dtype="uint8"), R.Tensor((1, 4, 8, 8), dtype="int8")) = (lv_13, g, i)
            R.output(j)
        return j
