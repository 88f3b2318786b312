# Products of computed operands may have as many steps as a run says: of a zero point of the right one, as of the left one, sums are
# subtracted that need no number of steps. A size whose limit is more than sums hold keeps the product in float32.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, "n", "n"), "uint8"), y: R.Tensor((2, "n", 24), "uint8"), u: R.Tensor((32, "m"), "uint8"), v: R.Tensor(("m", 24), "int8")):
        R.func_attr({"num_input": 4, "tir_var_upper_bound": {"m": 100000}})
        with R.dataflow():
            a = R.dequantize(x, R.const(0.5, "float32"), R.const(3, "uint8"))
            b = R.dequantize(y, R.const(0.25, "float32"), R.const(130, "uint8"))
            c = R.matmul(a, b)
            d = R.dequantize(u, R.const(0.5, "float32"), R.const(3, "uint8"))
            e = R.dequantize(v, R.const(0.25, "float32"), R.const(0, "int8"))
            f = R.matmul(d, e)
            g = (c, f)
            R.output(g)
        return g


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, "n", "n"), dtype="uint8"), y: R.Tensor((2, "n", 24), dtype="uint8"), u: R.Tensor((32, "m"), dtype="uint8"), v: R.Tensor(("m", 24), dtype="int8")) -> R.Tuple(R.Tensor((2, "n", 24), dtype="float32"), R.Tensor((32, 24), dtype="float32")):
        R.func_attr({"num_input": 4, "tir_var_upper_bound": {"m": 100000}})
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            lv: R.Tensor((2, n, 24), dtype="int16") = R.astype(y, dtype="int16")
            lv_1: R.Tensor((2, n, 24), dtype="int16") = R.add(lv, R.const(-128, "int16"))
            lv_2: R.Tensor((2, n, 24), dtype="int8") = R.astype(lv_1, dtype="int8")
            lv_3: R.Tensor((2, n, 24), dtype="int32") = R.matmul(x, lv_2, out_dtype="int32")
            lv_4: R.Tensor((2, n, n), dtype="int32") = R.astype(x, dtype="int32")
            lv_5: R.Tensor((2, n, 1), dtype="int32") = R.sum(lv_4, axis=[-1], keepdims=True)
            lv_6: R.Tensor((2, n, 1), dtype="int32") = R.multiply(lv_5, R.const(2, "int32"))
            lv_7: R.Tensor((2, n, 24), dtype="int32") = R.subtract(lv_3, lv_6)
            lv_8: R.Tensor((2, n, 24), dtype="int32") = R.astype(lv_2, dtype="int32")
            lv_9: R.Tensor((2, n, 24), dtype="int32") = R.subtract(lv_8, R.const(2, "int32"))
            lv_10: R.Tensor((2, 1, 24), dtype="int32") = R.sum(lv_9, axis=[1], keepdims=True)
            lv_11: R.Tensor((2, 1, 24), dtype="int32") = R.multiply(lv_10, R.const(-3, "int32"))
            lv_12: R.Tensor((2, n, 24), dtype="int32") = R.add(lv_7, lv_11)
            lv_13: R.Tensor((2, n, 24), dtype="float32") = R.astype(lv_12, dtype="float32")
            lv_14: R.Tensor((), dtype="float32") = R.multiply(R.const(0.5, "float32"), R.const(0.25, "float32"))
            lv_15: R.Tensor((), dtype="float32") = R.abs(lv_14)
            lv_16: R.Tensor((), dtype="bool") = R.less(lv_15, R.const(1e-25, "float32"))
            lv_17: R.Tensor((), dtype="float32") = R.where(lv_16, R.const(1e-25, "float32"), lv_14)
            lv_18: R.Tensor((2, n, 24), dtype="float32") = R.multiply(lv_13, lv_17)
            d: R.Tensor((32, m), dtype="float32") = R.dequantize(u, R.const(0.5, "float32"), R.const(3, "uint8"))
            e: R.Tensor((m, 24), dtype="float32") = R.dequantize(v, R.const(0.25, "float32"), R.const(0, "int8"))
            f: R.Tensor((32, 24), dtype="float32") = R.matmul(d, e)
            g: R.Tuple(R.Tensor((2, n, 24), dtype="float32"), R.Tensor((32, 24), dtype="float32")) = (lv_18, f)
            R.output(g)
        return g
