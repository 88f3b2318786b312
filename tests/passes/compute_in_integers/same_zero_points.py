# Zero points of a weight that are all the same count as one: 128 of uint8 adds nothing, also with groups of more than 8 results.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 8, 4, 4), "uint8"), w: R.Tensor((18, 4, 2, 2), "uint8")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a = R.dequantize(x, R.const(0.5, "float32"), R.const(3, "uint8"), axis=0)
            b = R.dequantize(w, R.const(0.25, "float32"), R.const([128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128], "uint8"), axis=0)
            c = R.nn.conv2d(a, b, groups=2)
            R.output(c)
        return c


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 8, 4, 4), dtype="uint8"), w: R.Tensor((18, 4, 2, 2), dtype="uint8")) -> R.Tensor((1, 18, 3, 3), dtype="float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            lv: R.Tensor((18, 4, 2, 2), dtype="int16") = R.astype(w, dtype="int16")
            lv_1: R.Tensor((18, 4, 2, 2), dtype="int16") = R.add(lv, R.const(-128, "int16"))
            lv_2: R.Tensor((18, 4, 2, 2), dtype="int8") = R.astype(lv_1, dtype="int8")
            lv_3: R.Tensor((1, 18, 3, 3), dtype="int32") = R.nn.conv2d(x, lv_2, groups=2, out_dtype="int32")
            lv_4: R.Tensor((18, 4, 2, 2), dtype="int32") = R.astype(lv_2, dtype="int32")
            lv_5: R.Tensor((18,), dtype="int32") = R.sum(lv_4, axis=[1, 2, 3])
            lv_6: R.Tensor((18,), dtype="int32") = R.multiply(lv_5, R.const(-3, "int32"))
            lv_7: R.Tensor((1, 18, 1, 1), dtype="int32") = R.expand_dims(lv_6, axis=[0, 2, 3])
            lv_8: R.Tensor((1, 18, 3, 3), dtype="int32") = R.add(lv_3, lv_7)
            lv_9: R.Tensor((1, 18, 3, 3), dtype="float32") = R.astype(lv_8, dtype="float32")
            lv_10: R.Tensor((), dtype="float32") = R.multiply(R.const(0.5, "float32"), R.const(0.25, "float32"))
            lv_11: R.Tensor((), dtype="float32") = R.abs(lv_10)
            lv_12: R.Tensor((), dtype="bool") = R.less(lv_11, R.const(1e-25, "float32"))
            lv_13: R.Tensor((), dtype="float32") = R.where(lv_12, R.const(1e-25, "float32"), lv_10)
            lv_14: R.Tensor((1, 18, 3, 3), dtype="float32") = R.multiply(lv_9, lv_13)
            c: R.Tensor((1, 18, 3, 3), dtype="float32") = lv_14
            R.output(c)
        return c
