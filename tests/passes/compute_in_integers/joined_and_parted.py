# Tensors of one scale that are joined, parted or resized to the nearest pixel stay bytes; those of two scales do not.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 16, 4, 4), "float32"), y: R.Tensor((1, 16, 4, 4), "float32"), w: R.Tensor((4, 8, 3, 3), "int8")):
        R.func_attr({"num_input": 2})
        with R.dataflow():
            a = R.quantize(x, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1, out_dtype="uint8")
            b = R.dequantize(a, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1)
            c = R.quantize(y, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1, out_dtype="uint8")
            d = R.dequantize(c, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1)
            e = R.concat((b, d), axis=1)
            g = R.quantize(e, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1, out_dtype="uint8")
            h = R.dequantize(g, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1)
            i = R.image.resize2d(h, size=(8, 8), method="nearest_neighbor")
            j = R.quantize(i, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1, out_dtype="uint8")
            k = R.split(b, indices_or_sections=2, axis=1)
            l = k[1]
            f = R.dequantize(w, R.const(0.25, "float32"), R.const(0, "int8"))
            m = R.nn.conv2d(l, f)
            n = R.quantize(y, R.const(0.25, "float32"), R.const(3, "uint8"), axis=1, out_dtype="uint8")
            o = R.dequantize(n, R.const(0.25, "float32"), R.const(3, "uint8"), axis=1)
            p = R.concat((b, o), axis=1)
            q = R.quantize(p, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1, out_dtype="uint8")
            u = (j, m, q)
            R.output(u)
        return u


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 16, 4, 4), "float32"), y: R.Tensor((1, 16, 4, 4), "float32"), w: R.Tensor((4, 8, 3, 3), "int8")) -> R.Tuple(R.Tensor((1, 32, 8, 8), "uint8"), R.Tensor((1, 4, 2, 2), "float32"), R.Tensor((1, 32, 4, 4), "uint8")):
        R.func_attr({"num_input": 2})
        with R.dataflow():
            a = R.quantize(x, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1, out_dtype="uint8")
            b = R.dequantize(a, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1)
            c = R.quantize(y, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1, out_dtype="uint8")
            lv = R.concat((a, c), axis=1)
            lv_1 = R.image.resize2d(lv, R.shape([8, 8]), method="nearest_neighbor")
            lv_2 = R.split(a, indices_or_sections=2, axis=1)
            lv_3: R.Tensor((1, 8, 4, 4), dtype="uint8") = lv_2[1]
            lv_4 = R.nn.conv2d(lv_3, w, out_dtype="int32")
            lv_5 = R.astype(w, dtype="int32")
            lv_6 = R.sum(lv_5, axis=[1, 2, 3])
            lv_7 = R.multiply(lv_6, R.const(-3, "int32"))
            lv_8 = R.expand_dims(lv_7, axis=[0, 2, 3])
            lv_9 = R.add(lv_4, lv_8)
            lv_10 = R.astype(lv_9, dtype="float32")
            lv_11 = R.multiply(R.const(0.5, "float32"), R.const(0.25, "float32"))
            lv_12 = R.abs(lv_11)
            lv_13 = R.less(lv_12, R.const(1e-25, "float32"))
            lv_14 = R.where(lv_13, R.const(1e-25, "float32"), lv_11)
            lv_15 = R.multiply(lv_10, lv_14)
            n = R.quantize(y, R.const(0.25, "float32"), R.const(3, "uint8"), axis=1, out_dtype="uint8")
            o = R.dequantize(n, R.const(0.25, "float32"), R.const(3, "uint8"), axis=1)
            p = R.concat((b, o), axis=1)
            q = R.quantize(p, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1, out_dtype="uint8")
            u: R.Tuple(R.Tensor((1, 32, 8, 8), "uint8"), R.Tensor((1, 4, 2, 2), "float32"), R.Tensor((1, 32, 4, 4), dtype="uint8")) = (lv_1, lv_15, q)
            R.output(u)
        return u

