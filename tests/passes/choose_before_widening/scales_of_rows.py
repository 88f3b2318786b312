# Scales along the axis of the indices are taken as well: as one axis, as a number, or spread over several axes.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(i: R.Tensor((8,), "int64"), j: R.Tensor((2, 3), "int64"), k: R.Tensor((), "int64"), t: R.Tensor((128, 64), "int8"), s: R.Tensor((128,), "float32"), z: R.Tensor((128,), "int8")):
        R.func_attr({"num_input": 3})
        with R.dataflow():
            d = R.dequantize(t, s, z, axis=0)
            a = R.take(d, i, axis=0)
            b = R.take(d, j, axis=-2)
            c = R.take(d, k, axis=0)
            e = R.dequantize(t, s, R.const(0, "int8"), axis=-2)
            f = R.take(e, j, axis=0)
            o = (a, b, c, f)
            R.output(o)
        return o


@I.ir_module
class Expected:
    @R.function
    def main(i: R.Tensor((8,), dtype="int64"), j: R.Tensor((2, 3), dtype="int64"), k: R.Tensor((), dtype="int64"), t: R.Tensor((128, 64), dtype="int8"), s: R.Tensor((128,), dtype="float32"), z: R.Tensor((128,), dtype="int8")) -> R.Tuple(R.Tensor((8, 64), dtype="float32"), R.Tensor((2, 3, 64), dtype="float32"), R.Tensor((64,), dtype="float32"), R.Tensor((2, 3, 64), dtype="float32")):
        R.func_attr({"num_input": 3})
        with R.dataflow():
            lv: R.Tensor((8,), dtype="float32") = R.take(s, i, axis=0)
            lv_1: R.Tensor((8,), dtype="int8") = R.take(z, i, axis=0)
            lv_2: R.Tensor((8, 64), dtype="int8") = R.take(t, i, axis=0)
            a: R.Tensor((8, 64), dtype="float32") = R.dequantize(lv_2, lv, lv_1, axis=0)
            lv_3: R.Tensor((2, 3, 64), dtype="int8") = R.take(t, j, axis=-2)
            lv_4: R.Tensor((2, 3, 64), dtype="int32") = R.astype(lv_3, dtype="int32")
            lv_5: R.Tensor((2, 3), dtype="int8") = R.take(z, j, axis=0)
            lv_6: R.Tensor((2, 3, 1), dtype="int8") = R.expand_dims(lv_5, axis=[2])
            lv_7: R.Tensor((2, 3, 1), dtype="int32") = R.astype(lv_6, dtype="int32")
            lv_8: R.Tensor((2, 3, 64), dtype="int32") = R.subtract(lv_4, lv_7)
            lv_9: R.Tensor((2, 3, 64), dtype="float32") = R.astype(lv_8, dtype="float32")
            lv_10: R.Tensor((2, 3), dtype="float32") = R.take(s, j, axis=0)
            lv_11: R.Tensor((2, 3, 1), dtype="float32") = R.expand_dims(lv_10, axis=[2])
            b: R.Tensor((2, 3, 64), dtype="float32") = R.multiply(lv_9, lv_11)
            lv_12: R.Tensor((), dtype="float32") = R.take(s, k, axis=0)
            lv_13: R.Tensor((), dtype="int8") = R.take(z, k, axis=0)
            lv_14: R.Tensor((64,), dtype="int8") = R.take(t, k, axis=0)
            c: R.Tensor((64,), dtype="float32") = R.dequantize(lv_14, lv_12, lv_13, axis=0)
            lv_15: R.Tensor((2, 3, 64), dtype="int8") = R.take(t, j, axis=0)
            lv_16: R.Tensor((2, 3, 64), dtype="float32") = R.astype(lv_15, dtype="float32")
            lv_17: R.Tensor((2, 3), dtype="float32") = R.take(s, j, axis=0)
            lv_18: R.Tensor((2, 3, 1), dtype="float32") = R.expand_dims(lv_17, axis=[2])
            f: R.Tensor((2, 3, 64), dtype="float32") = R.multiply(lv_16, lv_18)
            o: R.Tuple(R.Tensor((8, 64), dtype="float32"), R.Tensor((2, 3, 64), dtype="float32"), R.Tensor((64,), dtype="float32"), R.Tensor((2, 3, 64), dtype="float32")) = (a, b, c, f)
            R.output(o)
        return o
