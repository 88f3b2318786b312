# A product with a transposed weight of uint8, in steps that are no multiple of four, of data whose scale is computed.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 18), "float32"), s: R.Tensor((), "float32"), z: R.Tensor((), "uint8"), w: R.Tensor((6, 18), "uint8"), ws: R.Tensor((6,), "float32"), b: R.Tensor((6,), "float32")):
        R.func_attr({"num_input": 3})
        with R.dataflow():
            q = R.quantize(x, s, z, out_dtype="uint8")
            d = R.dequantize(q, s, z)
            f = R.dequantize(w, ws, R.const(128, "uint8"), axis=0)
            t = R.permute_dims(f, axes=[1, 0])
            c = R.matmul(d, t)
            y = R.add(c, b)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 18), "float32"), s: R.Tensor((), "float32"), z: R.Tensor((), "uint8"), w: R.Tensor((6, 18), "uint8"), ws: R.Tensor((6,), "float32"), b: R.Tensor((6,), "float32")) -> R.Tensor((2, 6), dtype="float32"):
        R.func_attr({"num_input": 3})
        with R.dataflow():
            q = R.quantize(x, s, z, out_dtype="uint8")
            lv = R.astype(z, dtype="int32")
            lv_1 = R.astype(w, dtype="int16")
            lv_2 = R.add(lv_1, R.const(-128, "int16"))
            lv_3 = R.astype(lv_2, dtype="int8")
            lv_4 = R.permute_dims(lv_3, axes=[1, 0])
            lv_5 = R.nn.pad(lv_4, pad_width=[0, 2, 0, 0])
            lv_6 = R.nn.pad(q, pad_width=[0, 0, 0, 2])
            lv_7 = R.matmul(lv_6, lv_5, out_dtype="int32")
            lv_8 = R.astype(lv_4, dtype="int32")
            lv_9 = R.sum(lv_8, axis=[0])
            lv_10 = R.negative(lv)
            lv_11 = R.multiply(lv_9, lv_10)
            lv_12 = R.expand_dims(lv_11, axis=[0])
            lv_13 = R.add(lv_7, lv_12)
            lv_14 = R.astype(lv_13, dtype="float32")
            lv_15 = R.multiply(s, ws)
            lv_16 = R.abs(lv_15)
            lv_17 = R.less(lv_16, R.const(1e-25, "float32"))
            lv_18 = R.where(lv_17, R.const(1e-25, "float32"), lv_15)
            lv_19 = R.expand_dims(lv_18, axis=[0])
            lv_20 = R.multiply(lv_14, lv_19)
            y = R.add(lv_20, b)
            R.output(y)
        return y

