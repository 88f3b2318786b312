# What a branch computes of bytes is not visible behind it, nor what a dataflow block computes: each has its own.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 16), "float32"), c: R.Tensor((), "bool"), w: R.Tensor((16, 4), "int8")):
        R.func_attr({"num_input": 2})
        with R.dataflow():
            q = R.quantize(x, R.const(0.5, "float32"), R.const(0, "int8"))
            R.output(q)
        if c:
            with R.dataflow():
                d = R.dequantize(q, R.const(0.5, "float32"), R.const(0, "int8"))
                f = R.dequantize(w, R.const(0.5, "float32"), R.const(0, "int8"))
                m = R.matmul(d, f)
                R.output(m)
            y = m
        else:
            with R.dataflow():
                d2 = R.dequantize(q, R.const(0.5, "float32"), R.const(0, "int8"))
                f2 = R.dequantize(w, R.const(0.25, "float32"), R.const(0, "int8"))
                m2 = R.matmul(d2, f2)
                R.output(m2)
            y = m2
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 16), "float32"), c: R.Tensor((), "bool"), w: R.Tensor((16, 4), "int8")) -> R.Tensor((2, 4), dtype="float32"):
        R.func_attr({"num_input": 2})
        with R.dataflow():
            q = R.quantize(x, R.const(0.5, "float32"), R.const(0, "int8"))
            R.output(q)
        if c:
            with R.dataflow():
                lv = R.astype(q, dtype="int16")
                lv_1 = R.add(lv, R.const(128, "int16"))
                lv_2 = R.astype(lv_1, dtype="uint8")
                lv_3 = R.matmul(lv_2, w, out_dtype="int32")
                lv_4 = R.astype(w, dtype="int32")
                lv_5 = R.sum(lv_4, axis=[0])
                lv_6 = R.multiply(lv_5, R.const(-128, "int32"))
                lv_7 = R.expand_dims(lv_6, axis=[0])
                lv_8 = R.add(lv_3, lv_7)
                lv_9 = R.astype(lv_8, dtype="float32")
                lv_10 = R.multiply(R.const(0.5, "float32"), R.const(0.5, "float32"))
                lv_11 = R.abs(lv_10)
                lv_12 = R.less(lv_11, R.const(1e-25, "float32"))
                lv_13 = R.where(lv_12, R.const(1e-25, "float32"), lv_10)
                lv_14 = R.multiply(lv_9, lv_13)
                m: R.Tensor((2, 4), dtype="float32") = lv_14
                R.output(m)
            y: R.Tensor((2, 4), dtype="float32") = m
        else:
            with R.dataflow():
                lv_15 = R.astype(q, dtype="int16")
                lv_16 = R.add(lv_15, R.const(128, "int16"))
                lv_17 = R.astype(lv_16, dtype="uint8")
                lv_18 = R.matmul(lv_17, w, out_dtype="int32")
                lv_19 = R.astype(w, dtype="int32")
                lv_20 = R.sum(lv_19, axis=[0])
                lv_21 = R.multiply(lv_20, R.const(-128, "int32"))
                lv_22 = R.expand_dims(lv_21, axis=[0])
                lv_23 = R.add(lv_18, lv_22)
                lv_24 = R.astype(lv_23, dtype="float32")
                lv_25 = R.multiply(R.const(0.5, "float32"), R.const(0.25, "float32"))
                lv_26 = R.abs(lv_25)
                lv_27 = R.less(lv_26, R.const(1e-25, "float32"))
                lv_28 = R.where(lv_27, R.const(1e-25, "float32"), lv_25)
                lv_29 = R.multiply(lv_24, lv_28)
                m2: R.Tensor((2, 4), dtype="float32") = lv_29
                R.output(m2)
            y: R.Tensor((2, 4), dtype="float32") = m2
        return y
