# A zero point of a weight is multiplied with the sums of the data: of a row, or of a window, which a filter of ones adds.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 16), "uint8"), m: R.Tensor((1, 4, 5, 5), "uint8"), w: R.Tensor((16, 4), "uint8"), z: R.Tensor((4,), "uint8"), v: R.Tensor((6, 4, 3, 3), "int8")):
        R.func_attr({"num_input": 2})
        with R.dataflow():
            a = R.dequantize(x, R.const(0.5, "float32"), R.const(7, "uint8"))
            d = R.dequantize(w, R.const(0.5, "float32"), z, axis=1)
            e = R.matmul(a, d)
            n = R.dequantize(m, R.const(0.5, "float32"), R.const(0, "uint8"))
            o = R.dequantize(v, R.const(0.5, "float32"), R.const(2, "int8"))
            p = R.nn.conv2d(n, o, padding=1)
            u = (e, p)
            R.output(u)
        return u


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 16), "uint8"), m: R.Tensor((1, 4, 5, 5), "uint8"), w: R.Tensor((16, 4), "uint8"), z: R.Tensor((4,), "uint8"), v: R.Tensor((6, 4, 3, 3), "int8")) -> R.Tuple(R.Tensor((2, 4), "float32"), R.Tensor((1, 6, 5, 5), "float32")):
        R.func_attr({"num_input": 2})
        with R.dataflow():
            lv = R.astype(w, dtype="int16")
            lv_1 = R.add(lv, R.const(-128, "int16"))
            lv_2 = R.astype(lv_1, dtype="int8")
            lv_3 = R.astype(z, dtype="int32")
            lv_4 = R.add(lv_3, R.const(-128, "int32"))
            lv_5 = R.matmul(x, lv_2, out_dtype="int32")
            lv_6 = R.expand_dims(lv_4, axis=[0])
            lv_7 = R.astype(x, dtype="int32")
            lv_8 = R.sum(lv_7, axis=[-1], keepdims=True)
            lv_9 = R.multiply(lv_8, lv_6)
            lv_10 = R.subtract(lv_5, lv_9)
            lv_11 = R.astype(lv_2, dtype="int32")
            lv_12 = R.sum(lv_11, axis=[0])
            lv_13 = R.multiply(lv_4, R.const(16, "int32"))
            lv_14 = R.subtract(lv_12, lv_13)
            lv_15 = R.multiply(lv_14, R.const(-7, "int32"))
            lv_16 = R.expand_dims(lv_15, axis=[0])
            lv_17 = R.add(lv_10, lv_16)
            lv_18 = R.astype(lv_17, dtype="float32")
            lv_19 = R.multiply(R.const(0.5, "float32"), R.const(0.5, "float32"))
            lv_20 = R.abs(lv_19)
            lv_21 = R.less(lv_20, R.const(1e-25, "float32"))
            lv_22 = R.where(lv_21, R.const(1e-25, "float32"), lv_19)
            lv_23 = R.multiply(lv_18, lv_22)
            lv_24 = R.nn.conv2d(m, v, padding=[1, 1, 1, 1], out_dtype="int32")
            lv_25 = R.ones(R.shape([1, 4, 3, 3]), dtype="int8")
            lv_26 = R.nn.conv2d(m, lv_25, padding=[1, 1, 1, 1], out_dtype="int32")
            lv_27 = R.multiply(lv_26, R.const(2, "int32"))
            lv_28 = R.subtract(lv_24, lv_27)
            lv_29 = R.astype(lv_28, dtype="float32")
            lv_30 = R.multiply(R.const(0.5, "float32"), R.const(0.5, "float32"))
            lv_31 = R.abs(lv_30)
            lv_32 = R.less(lv_31, R.const(1e-25, "float32"))
            lv_33 = R.where(lv_32, R.const(1e-25, "float32"), lv_30)
            lv_34 = R.multiply(lv_29, lv_33)
            u: R.Tuple(R.Tensor((2, 4), "float32"), R.Tensor((1, 6, 5, 5), dtype="float32")) = (lv_23, lv_34)
            R.output(u)
        return u

