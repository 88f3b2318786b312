# Zero points are multiplied with the sums of rows. Unsigned bytes become signed ones, of which more are near to 0.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 64), "float32"), y: R.Tensor((64,), "float32"), w: R.Tensor((64, 48), "uint8"), v: R.Tensor((64, 96), "int8"), s: R.Tensor((48,), "float32"), z: R.Tensor((48,), "uint8")):
        R.func_attr({"num_input": 2})
        with R.dataflow():
            d = R.dequantize(w, s, z, axis=1)
            a = R.matmul(x, d)
            e = R.dequantize(v, R.const(0.5, "float32"), R.const(3, "int8"))
            b = R.matmul(y, e)
            o = (a, b)
            R.output(o)
        return o


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 64), dtype="float32"), y: R.Tensor((64,), dtype="float32"), w: R.Tensor((64, 48), dtype="uint8"), v: R.Tensor((64, 96), dtype="int8"), s: R.Tensor((48,), dtype="float32"), z: R.Tensor((48,), dtype="uint8")) -> R.Tuple(R.Tensor((2, 48), dtype="float32"), R.Tensor((96,), dtype="float32")):
        R.func_attr({"num_input": 2})
        with R.dataflow():
            lv: R.Tensor((64, 48), dtype="int16") = R.astype(w, dtype="int16")
            lv_1: R.Tensor((64, 48), dtype="int16") = R.subtract(lv, R.const(128, "int16"))
            lv_2: R.Tensor((64, 48), dtype="int8") = R.astype(lv_1, dtype="int8")
            lv_3: R.Tensor((2, 48), dtype="float32") = R.matmul(x, lv_2, out_dtype="float32")
            lv_4: R.Tensor((2, 1), dtype="float32") = R.sum(x, axis=[-1], keepdims=True)
            lv_5: R.Tensor((48,), dtype="float32") = R.astype(z, dtype="float32")
            lv_6: R.Tensor((48,), dtype="float32") = R.subtract(lv_5, R.const(128.0, "float32"))
            lv_7: R.Tensor((1, 48), dtype="float32") = R.expand_dims(lv_6, axis=[0])
            lv_8: R.Tensor((2, 48), dtype="float32") = R.multiply(lv_4, lv_7)
            lv_9: R.Tensor((2, 48), dtype="float32") = R.subtract(lv_3, lv_8)
            lv_10: R.Tensor((1, 48), dtype="float32") = R.expand_dims(s, axis=[0])
            a: R.Tensor((2, 48), dtype="float32") = R.multiply(lv_9, lv_10)
            lv_11: R.Tensor((96,), dtype="float32") = R.matmul(y, v, out_dtype="float32")
            lv_12: R.Tensor((1,), dtype="float32") = R.sum(y, axis=[-1], keepdims=True)
            lv_13: R.Tensor((), dtype="float32") = R.astype(R.const(3, "int8"), dtype="float32")
            lv_14: R.Tensor((), dtype="float32") = R.squeeze(lv_12)
            lv_15: R.Tensor((), dtype="float32") = R.multiply(lv_14, lv_13)
            lv_16: R.Tensor((96,), dtype="float32") = R.subtract(lv_11, lv_15)
            b: R.Tensor((96,), dtype="float32") = R.multiply(lv_16, R.const(0.5, "float32"))
            o: R.Tuple(R.Tensor((2, 48), dtype="float32"), R.Tensor((96,), dtype="float32")) = (a, b)
            R.output(o)
        return o
