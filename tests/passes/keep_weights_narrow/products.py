# Products read a weight of bytes as it is; the scale of each column, or of all, multiplies the sums.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", 64), "float32"), w: R.Tensor((64, 48), "int8"), v: R.Tensor((48, 64), "int8"), s: R.Tensor((48,), "float32"), c: R.Tensor((1,), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            d = R.dequantize(w, s, R.const(0, "int8"), axis=1)
            a = R.matmul(x, d)
            e = R.dequantize(v, s, R.const(0, "int8"), axis=0)
            t = R.permute_dims(e, axes=[1, 0])
            b = R.matmul(x, t)
            f = R.dequantize(w, c, R.const(0, "int8"), axis=0)
            g = R.matmul(x, f)
            o = (a, b, g)
            R.output(o)
        return o


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n", 64), dtype="float32"), w: R.Tensor((64, 48), dtype="int8"), v: R.Tensor((48, 64), dtype="int8"), s: R.Tensor((48,), dtype="float32"), c: R.Tensor((1,), dtype="float32")) -> R.Tuple(R.Tensor(("n", 48), dtype="float32"), R.Tensor(("n", 48), dtype="float32"), R.Tensor(("n", 48), dtype="float32")):
        R.func_attr({"num_input": 1})
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((n, 48), dtype="float32") = R.matmul(x, w, out_dtype="float32")
            lv_1: R.Tensor((1, 48), dtype="float32") = R.expand_dims(s, axis=[0])
            a: R.Tensor((n, 48), dtype="float32") = R.multiply(lv, lv_1)
            lv_2: R.Tensor((64, 48), dtype="int8") = R.permute_dims(v, axes=[1, 0])
            lv_3: R.Tensor((n, 48), dtype="float32") = R.matmul(x, lv_2, out_dtype="float32")
            lv_4: R.Tensor((1, 48), dtype="float32") = R.expand_dims(s, axis=[0])
            b: R.Tensor((n, 48), dtype="float32") = R.multiply(lv_3, lv_4)
            lv_5: R.Tensor((n, 48), dtype="float32") = R.matmul(x, w, out_dtype="float32")
            lv_6: R.Tensor((), dtype="float32") = R.reshape(c, R.shape([]))
            g: R.Tensor((n, 48), dtype="float32") = R.multiply(lv_5, lv_6)
            o: R.Tuple(R.Tensor((n, 48), dtype="float32"), R.Tensor((n, 48), dtype="float32"), R.Tensor((n, 48), dtype="float32")) = (a, b, g)
            R.output(o)
        return o
