# Data whose scale and zero point are those of its rows, by `dequantize`, by arithmetic, and behind a reshape.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((6, 16), "int8"), s: R.Tensor((6,), "float32"), z: R.Tensor((6,), "int8"), y: R.Tensor((2, 3, 16), "int8"), t: R.Tensor((2, 3, 1), "float64"), p: R.Tensor((2, 3, 1), "int64"), w: R.Tensor((16, 8), "int8"), ws: R.Tensor((8,), "float32")):
        R.func_attr({"num_input": 6})
        with R.dataflow():
            f = R.dequantize(w, ws, R.const(0, "int8"), axis=1)
            a = R.dequantize(x, s, z, axis=0)
            b = R.matmul(a, f)
            c = R.astype(y, dtype="int32")
            d = R.astype(p, dtype="int32")
            e = R.subtract(c, d)
            g = R.astype(e, dtype="float64")
            h = R.multiply(g, t)
            i = R.astype(h, dtype="float32")
            j = R.reshape(i, (6, 16))
            k = R.matmul(j, f)
            u = (b, k)
            R.output(u)
        return u


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((6, 16), "int8"), s: R.Tensor((6,), "float32"), z: R.Tensor((6,), "int8"), y: R.Tensor((2, 3, 16), "int8"), t: R.Tensor((2, 3, 1), "float64"), p: R.Tensor((2, 3, 1), "int64"), w: R.Tensor((16, 8), "int8"), ws: R.Tensor((8,), "float32")) -> R.Tuple(R.Tensor((6, 8), "float32"), R.Tensor((6, 8), "float32")):
        R.func_attr({"num_input": 6})
        with R.dataflow():
            lv = R.astype(x, dtype="int16")
            lv_1 = R.add(lv, R.const(128, "int16"))
            lv_2 = R.astype(lv_1, dtype="uint8")
            lv_3 = R.astype(z, dtype="int32")
            lv_4 = R.add(lv_3, R.const(128, "int32"))
            lv_5 = R.matmul(lv_2, w, out_dtype="int32")
            lv_6 = R.astype(w, dtype="int32")
            lv_7 = R.sum(lv_6, axis=[0])
            lv_8 = R.expand_dims(lv_4, axis=[1])
            lv_9 = R.negative(lv_8)
            lv_10 = R.multiply(lv_7, lv_9)
            lv_11 = R.add(lv_5, lv_10)
            lv_12 = R.astype(lv_11, dtype="float32")
            lv_13 = R.expand_dims(ws, axis=[0])
            lv_14 = R.multiply(lv_12, lv_13)
            lv_15 = R.expand_dims(s, axis=[1])
            lv_16 = R.multiply(lv_14, lv_15)
            lv_17 = R.astype(t, dtype="float32")
            lv_18 = R.reshape(lv_17, R.shape([6, 1]))
            lv_19 = R.reshape(p, R.shape([6, 1]))
            lv_20 = R.astype(y, dtype="int16")
            lv_21 = R.add(lv_20, R.const(128, "int16"))
            lv_22 = R.astype(lv_21, dtype="uint8")
            lv_23 = R.reshape(lv_22, R.shape([6, 16]))
            lv_24 = R.astype(lv_19, dtype="int32")
            lv_25 = R.add(lv_24, R.const(128, "int32"))
            lv_26 = R.matmul(lv_23, w, out_dtype="int32")
            lv_27 = R.astype(w, dtype="int32")
            lv_28 = R.sum(lv_27, axis=[0])
            lv_29 = R.negative(lv_25)
            lv_30 = R.multiply(lv_28, lv_29)
            lv_31 = R.add(lv_26, lv_30)
            lv_32 = R.astype(lv_31, dtype="float32")
            lv_33 = R.expand_dims(ws, axis=[0])
            lv_34 = R.multiply(lv_32, lv_33)
            lv_35 = R.multiply(lv_34, lv_18)
            u: R.Tuple(R.Tensor((6, 8), "float32"), R.Tensor((6, 8), dtype="float32")) = (lv_16, lv_35)
            R.output(u)
        return u

