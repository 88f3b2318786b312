# A vector by a batch of matrices: what the zero point of the data adds has no rows.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(q: R.Tensor((16,), "uint8"), w: R.Tensor((2, 16, 4), "int8")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            d = R.dequantize(q, R.const(0.5, "float32"), R.const(3, "uint8"), axis=0)
            f = R.dequantize(w, R.const(0.25, "float32"), R.const(0, "int8"), axis=0)
            c = R.matmul(d, f)
            R.output(c)
        return c


@I.ir_module
class Expected:
    @R.function
    def main(q: R.Tensor((16,), "uint8"), w: R.Tensor((2, 16, 4), "int8")) -> R.Tensor((2, 4), dtype="float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            lv = R.matmul(q, w, out_dtype="int32")
            lv_1 = R.astype(w, dtype="int32")
            lv_2 = R.sum(lv_1, axis=[1])
            lv_3 = R.multiply(lv_2, R.const(-3, "int32"))
            lv_4 = R.add(lv, lv_3)
            lv_5 = R.astype(lv_4, dtype="float32")
            lv_6 = R.multiply(R.const(0.5, "float32"), R.const(0.25, "float32"))
            lv_7 = R.abs(lv_6)
            lv_8 = R.less(lv_7, R.const(1e-25, "float32"))
            lv_9 = R.where(lv_8, R.const(1e-25, "float32"), lv_6)
            lv_10 = R.multiply(lv_5, lv_9)
            c: R.Tensor((2, 4), dtype="float32") = lv_10
            R.output(c)
        return c
