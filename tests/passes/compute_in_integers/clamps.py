# What clamps sums before they are quantised goes where the bytes end there, and else clamps the scaled sums.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((32, 64), "uint8"), w: R.Tensor((64, 48), "int8")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            d = R.dequantize(x, R.const(0.25, "float32"), R.const(3, "uint8"))
            e = R.dequantize(w, R.const(0.125, "float32"), R.const(0, "int8"))
            p = R.matmul(d, e)
            m = R.maximum(p, R.const(0.0, "float32"))
            a = R.minimum(m, R.const(6.0, "float32"))
            b = R.quantize(a, R.const(0.015625, "float32"), R.const(0, "uint8"), out_dtype="uint8")
            c = R.quantize(a, R.const(0.03125, "float32"), R.const(5, "uint8"), out_dtype="uint8")
            h = R.clip(p, 0, 6)
            f = R.quantize(h, R.const(0.015625, "float32"), R.const(-128, "int8"), out_dtype="int8")
            i = R.clip(p, -1, 6)
            g = R.quantize(i, R.const(0.015625, "float32"), R.const(0, "int8"), out_dtype="int8")
            o = (b, c, f, g)
            R.output(o)
        return o


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((32, 64), dtype="uint8"), w: R.Tensor((64, 48), dtype="int8")) -> R.Tuple(R.Tensor((32, 48), dtype="uint8"), R.Tensor((32, 48), dtype="uint8"), R.Tensor((32, 48), dtype="int8"), R.Tensor((32, 48), dtype="int8")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            lv: R.Tensor((32, 48), dtype="int32") = R.matmul(x, w, out_dtype="int32")
            lv_1: R.Tensor((64, 48), dtype="int32") = R.astype(w, dtype="int32")
            lv_2: R.Tensor((48,), dtype="int32") = R.sum(lv_1, axis=[0])
            lv_3: R.Tensor((48,), dtype="int32") = R.multiply(lv_2, R.const(-3, "int32"))
            lv_4: R.Tensor((1, 48), dtype="int32") = R.expand_dims(lv_3, axis=[0])
            lv_5: R.Tensor((32, 48), dtype="int32") = R.add(lv, lv_4)
            lv_6: R.Tensor((32, 48), dtype="float32") = R.astype(lv_5, dtype="float32")
            lv_7: R.Tensor((), dtype="float32") = R.multiply(R.const(0.25, "float32"), R.const(0.125, "float32"))
            lv_8: R.Tensor((), dtype="float32") = R.abs(lv_7)
            lv_9: R.Tensor((), dtype="bool") = R.less(lv_8, R.const(1e-25, "float32"))
            lv_10: R.Tensor((), dtype="float32") = R.where(lv_9, R.const(1e-25, "float32"), lv_7)
            lv_11: R.Tensor((), dtype="float32") = R.divide(lv_10, R.const(0.015625, "float32"))
            lv_12: R.Tensor((32, 48), dtype="float32") = R.multiply(lv_6, lv_11)
            lv_13: R.Tensor((32, 48), dtype="uint8") = R.quantize(lv_12, R.const(1.0, "float32"), R.const(0, "uint8"), out_dtype="uint8")
            lv_14: R.Tensor((), dtype="float32") = R.divide(lv_10, R.const(0.03125, "float32"))
            lv_15: R.Tensor((32, 48), dtype="float32") = R.multiply(lv_6, lv_14)
            lv_16: R.Tensor((32, 48), dtype="float32") = R.nn.relu(lv_15)
            lv_17: R.Tensor((32, 48), dtype="float32") = R.minimum(lv_16, R.const(192.0, "float32"))
            lv_18: R.Tensor((32, 48), dtype="uint8") = R.quantize(lv_17, R.const(1.0, "float32"), R.const(5, "uint8"), out_dtype="uint8")
            lv_19: R.Tensor((), dtype="float32") = R.divide(lv_10, R.const(0.015625, "float32"))
            lv_20: R.Tensor((32, 48), dtype="float32") = R.multiply(lv_6, lv_19)
            lv_21: R.Tensor((32, 48), dtype="uint8") = R.quantize(lv_20, R.const(1.0, "float32"), R.const(0, "uint8"), out_dtype="uint8")
            lv_22: R.Tensor((32, 48), dtype="int16") = R.astype(lv_21, dtype="int16")
            lv_23: R.Tensor((32, 48), dtype="int16") = R.add(lv_22, R.const(-128, "int16"))
            lv_24: R.Tensor((32, 48), dtype="int8") = R.astype(lv_23, dtype="int8")
            lv_25: R.Tensor((), dtype="float32") = R.divide(lv_10, R.const(0.015625, "float32"))
            lv_26: R.Tensor((32, 48), dtype="float32") = R.multiply(lv_6, lv_25)
            lv_27: R.Tensor((32, 48), dtype="float32") = R.maximum(lv_26, R.const(-64.0, "float32"))
            lv_28: R.Tensor((32, 48), dtype="uint8") = R.quantize(lv_27, R.const(1.0, "float32"), R.const(128, "uint8"), out_dtype="uint8")
            lv_29: R.Tensor((32, 48), dtype="int16") = R.astype(lv_28, dtype="int16")
            lv_30: R.Tensor((32, 48), dtype="int16") = R.add(lv_29, R.const(-128, "int16"))
            lv_31: R.Tensor((32, 48), dtype="int8") = R.astype(lv_30, dtype="int8")
            o: R.Tuple(R.Tensor((32, 48), dtype="uint8"), R.Tensor((32, 48), dtype="uint8"), R.Tensor((32, 48), dtype="int8"), R.Tensor((32, 48), dtype="int8")) = (lv_13, lv_18, lv_24, lv_31)
            R.output(o)
        return o
