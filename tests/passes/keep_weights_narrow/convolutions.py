# Convolutions read a weight of bytes or halves as it is.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 16, 8, 8), "float32"), w: R.Tensor((32, 16, 3, 3), "int8"), s: R.Tensor((32,), "float32"), h: R.Tensor((32, 16, 3, 3), "float16")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            d = R.dequantize(w, s, R.const(0, "int8"), axis=0)
            a = R.nn.conv2d(x, d, padding=[1, 1, 1, 1])
            f = R.astype(h, dtype="float32")
            b = R.nn.conv2d(x, f, padding=[1, 1, 1, 1])
            o = R.add(a, b)
            R.output(o)
        return o


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 16, 8, 8), dtype="float32"), w: R.Tensor((32, 16, 3, 3), dtype="int8"), s: R.Tensor((32,), dtype="float32"), h: R.Tensor((32, 16, 3, 3), dtype="float16")) -> R.Tensor((1, 32, 8, 8), dtype="float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            lv: R.Tensor((1, 32, 8, 8), dtype="float32") = R.nn.conv2d(x, w, padding=[1, 1, 1, 1], out_dtype="float32")
            lv_1: R.Tensor((1, 32, 1, 1), dtype="float32") = R.expand_dims(s, axis=[0, 2, 3])
            a: R.Tensor((1, 32, 8, 8), dtype="float32") = R.multiply(lv, lv_1)
            b: R.Tensor((1, 32, 8, 8), dtype="float32") = R.nn.conv2d(x, h, padding=[1, 1, 1, 1], out_dtype="float32")
            o: R.Tensor((1, 32, 8, 8), dtype="float32") = R.add(a, b)
            R.output(o)
        return o
