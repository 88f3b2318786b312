# Data whose scale and zero point are those of its rows, by `dequantize`, by arithmetic, and behind a reshape.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((6, 16), "int8"), s: R.Tensor((6,), "float32"), z: R.Tensor((6,), "int8"), y: R.Tensor((2, 3, 16), "int8"), t: R.Tensor((2, 3, 1), "float64"), p: R.Tensor((2, 3, 1), "int8"), w: R.Tensor((16, 8), "int8"), ws: R.Tensor((8,), "float32")):
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
    def main(x: R.Tensor((6, 16), "int8"), s: R.Tensor((6,), "float32"), z: R.Tensor((6,), "int8"), y: R.Tensor((2, 3, 16), "int8"), t: R.Tensor((2, 3, 1), "float64"), p: R.Tensor((2, 3, 1), "int8"), w: R.Tensor((16, 8), "int8"), ws: R.Tensor((8,), "float32")) -> R.Tuple(R.Tensor((6, 8), "float32"), R.Tensor((6, 8), "float32")):
        R.func_attr({"num_input": 6})
        with R.dataflow():
            f = R.dequantize(w, ws, R.const(0, "int8"), axis=1)
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
            c = R.astype(y, dtype="int32")
            d = R.astype(p, dtype="int32")
            e = R.subtract(c, d)
            g = R.astype(e, dtype="float64")
            h = R.multiply(g, t)
            i = R.astype(h, dtype="float32")
            j = R.reshape(i, R.shape([6, 16]))
            k = R.matmul(j, f)
            u: R.Tuple(R.Tensor((6, 8), "float32"), R.Tensor((6, 8), dtype="float32")) = (lv_16, k)
            R.output(u)
        return u

