# Both operands of a product may be computed: the right one is kept as int8. Of few rows and of a vector, the product
# stays.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 32, 16), "float32"), y: R.Tensor((2, 24, 16), "float32"), z: R.Tensor((2, 2, 16), "float32")):
        R.func_attr({"num_input": 3})
        with R.dataflow():
            a = R.quantize(x, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1, out_dtype="uint8")
            b = R.dequantize(a, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1)
            c = R.quantize(y, R.const(0.25, "float32"), R.const(130, "uint8"), axis=1, out_dtype="uint8")
            d = R.dequantize(c, R.const(0.25, "float32"), R.const(130, "uint8"), axis=1)
            e = R.permute_dims(d, axes=[0, 2, 1])
            f = R.matmul(b, e)
            g = R.quantize(f, R.const(0.5, "float32"), R.const(128, "uint8"), axis=1, out_dtype="uint8")
            h = R.quantize(z, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1, out_dtype="uint8")
            i = R.dequantize(h, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1)
            j = R.matmul(i, e)
            u = (g, j)
            R.output(u)
        return u


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 32, 16), "float32"), y: R.Tensor((2, 24, 16), "float32"), z: R.Tensor((2, 2, 16), "float32")) -> R.Tuple(R.Tensor((2, 32, 24), "uint8"), R.Tensor((2, 2, 24), "float32")):
        R.func_attr({"num_input": 3})
        with R.dataflow():
            a = R.quantize(x, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1, out_dtype="uint8")
            c = R.quantize(y, R.const(0.25, "float32"), R.const(130, "uint8"), axis=1, out_dtype="uint8")
            d = R.dequantize(c, R.const(0.25, "float32"), R.const(130, "uint8"), axis=1)
            e = R.permute_dims(d, axes=[0, 2, 1])
            lv = R.quantize(y, R.const(0.25, "float32"), R.const(2, "int8"), axis=1)
            lv_1 = R.permute_dims(lv, axes=[0, 2, 1])
            lv_2 = R.matmul(a, lv_1, out_dtype="int32")
            lv_3 = R.astype(a, dtype="int32")
            lv_4 = R.sum(lv_3, axis=[-1], keepdims=True)
            lv_5 = R.multiply(lv_4, R.const(2, "int32"))
            lv_6 = R.subtract(lv_2, lv_5)
            lv_7 = R.astype(lv_1, dtype="int32")
            lv_8 = R.sum(lv_7, axis=[1], keepdims=True)
            lv_9 = R.multiply(R.const(2, "int32"), R.const(16, "int32"))
            lv_10 = R.subtract(lv_8, lv_9)
            lv_11 = R.multiply(lv_10, R.const(-3, "int32"))
            lv_12 = R.add(lv_6, lv_11)
            lv_13 = R.astype(lv_12, dtype="float32")
            lv_14 = R.multiply(R.const(0.5, "float32"), R.const(0.25, "float32"))
            lv_15 = R.abs(lv_14)
            lv_16 = R.less(lv_15, R.const(1e-25, "float32"))
            lv_17 = R.where(lv_16, R.const(1e-25, "float32"), lv_14)
            lv_18 = R.divide(lv_17, R.const(0.5, "float32"))
            lv_19 = R.multiply(lv_13, lv_18)
            lv_20 = R.quantize(lv_19, R.const(1.0, "float32"), R.const(128, "uint8"), axis=1, out_dtype="uint8")
            h = R.quantize(z, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1, out_dtype="uint8")
            i = R.dequantize(h, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1)
            j = R.matmul(i, e)
            u: R.Tuple(R.Tensor((2, 32, 24), "uint8"), R.Tensor((2, 2, 24), dtype="float32")) = (lv_20, j)
            R.output(u)
        return u

