# Integer products of bytes of one kind become products of unsigned data and a signed weight: of a weight that is known,
# and of many rows. Those of few rows and a computed weight stay, and so do those of bytes of both kinds.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 16), "int8"), y: R.Tensor((32, 16), "uint8"), v: R.Tensor((16, 4), "uint8"), u: R.Tensor((2, 16), "uint8"), w: R.Tensor((16, 4), "int8")):
        R.func_attr({"num_input": 3})
        with R.dataflow():
            a = R.matmul(x, w, out_dtype="int32")
            b = R.matmul(y, v, out_dtype="int32")
            c = R.matmul(u, v, out_dtype="int32")
            d = R.matmul(u, w, out_dtype="int32")
            o = (a, b, c, d)
            R.output(o)
        return o


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 16), "int8"), y: R.Tensor((32, 16), "uint8"), v: R.Tensor((16, 4), "uint8"), u: R.Tensor((2, 16), "uint8"), w: R.Tensor((16, 4), "int8")) -> R.Tuple(R.Tensor((2, 4), "int32"), R.Tensor((32, 4), "int32"), R.Tensor((2, 4), "int32"), R.Tensor((2, 4), "int32")):
        R.func_attr({"num_input": 3})
        with R.dataflow():
            lv = R.astype(x, dtype="int16")
            lv_1 = R.add(lv, R.const(128, "int16"))
            lv_2 = R.astype(lv_1, dtype="uint8")
            lv_3 = R.matmul(lv_2, w, out_dtype="int32")
            lv_4 = R.astype(w, dtype="int32")
            lv_5 = R.sum(lv_4, axis=[0])
            lv_6 = R.multiply(lv_5, R.const(-128, "int32"))
            lv_7 = R.expand_dims(lv_6, axis=[0])
            lv_8 = R.add(lv_3, lv_7)
            lv_9 = R.astype(v, dtype="int16")
            lv_10 = R.add(lv_9, R.const(-128, "int16"))
            lv_11 = R.astype(lv_10, dtype="int8")
            lv_12 = R.matmul(y, lv_11, out_dtype="int32")
            lv_13 = R.astype(y, dtype="int32")
            lv_14 = R.sum(lv_13, axis=[-1], keepdims=True)
            lv_15 = R.multiply(lv_14, R.const(-128, "int32"))
            lv_16 = R.subtract(lv_12, lv_15)
            c = R.matmul(u, v, out_dtype="int32")
            d = R.matmul(u, w, out_dtype="int32")
            o: R.Tuple(R.Tensor((2, 4), "int32"), R.Tensor((32, 4), "int32"), R.Tensor((2, 4), "int32"), R.Tensor((2, 4), dtype="int32")) = (lv_8, lv_16, c, d)
            R.output(o)
        return o

