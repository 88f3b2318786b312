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
                lv_11 = R.equal(lv_10, R.const(0.0, "float32"))
                lv_12 = R.where(lv_11, R.const(1e-30, "float32"), lv_10)
                lv_13 = R.multiply(lv_9, lv_12)
                m: R.Tensor((2, 4), dtype="float32") = lv_13
                R.output(m)
            y: R.Tensor((2, 4), dtype="float32") = m
        else:
            with R.dataflow():
                lv_14 = R.astype(q, dtype="int16")
                lv_15 = R.add(lv_14, R.const(128, "int16"))
                lv_16 = R.astype(lv_15, dtype="uint8")
                lv_17 = R.matmul(lv_16, w, out_dtype="int32")
                lv_18 = R.astype(w, dtype="int32")
                lv_19 = R.sum(lv_18, axis=[0])
                lv_20 = R.multiply(lv_19, R.const(-128, "int32"))
                lv_21 = R.expand_dims(lv_20, axis=[0])
                lv_22 = R.add(lv_17, lv_21)
                lv_23 = R.astype(lv_22, dtype="float32")
                lv_24 = R.multiply(R.const(0.5, "float32"), R.const(0.25, "float32"))
                lv_25 = R.equal(lv_24, R.const(0.0, "float32"))
                lv_26 = R.where(lv_25, R.const(1e-30, "float32"), lv_24)
                lv_27 = R.multiply(lv_23, lv_26)
                m2: R.Tensor((2, 4), dtype="float32") = lv_27
                R.output(m2)
            y: R.Tensor((2, 4), dtype="float32") = m2
        return y
