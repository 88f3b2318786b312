# Products of a matrix whose blocks of steps have scales dequantise it where they multiply; others read floats.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((3, 64), "float32"), w: R.Tensor((64, 48), "uint8"), v: R.Tensor((48, 64), "int8"), s: R.Tensor((2, 48), "float32"), z: R.Tensor((2, 48), "uint8"), t: R.Tensor((48, 2), "float32"), c: R.Tensor((64, 3), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            d = R.dequantize(w, s, z, axis=0, block_size=32)
            a = R.matmul(x, d)
            e = R.dequantize(v, t, R.const(0, "int8"), axis=-1, block_size=32)
            f = R.permute_dims(e, axes=[1, 0])
            b = R.matmul(x, f)
            g = R.dequantize(w, c, R.const(0, "uint8"), axis=1, block_size=16)
            h = R.matmul(x, g)
            o = (a, b, h)
            R.output(o)
        return o


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((3, 64), dtype="float32"), w: R.Tensor((64, 48), dtype="uint8"), v: R.Tensor((48, 64), dtype="int8"), s: R.Tensor((2, 48), dtype="float32"), z: R.Tensor((2, 48), dtype="uint8"), t: R.Tensor((48, 2), dtype="float32"), c: R.Tensor((64, 3), dtype="float32")) -> R.Tuple(R.Tensor((3, 48), dtype="float32"), R.Tensor((3, 48), dtype="float32"), R.Tensor((3, 48), dtype="float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a: R.Tensor((3, 48), dtype="float32") = R.nn.matmul_dequantize(x, w, s, z, block_size=32)
            lv: R.Tensor((64, 48), dtype="int8") = R.permute_dims(v, axes=[1, 0])
            lv_1: R.Tensor((2, 48), dtype="float32") = R.permute_dims(t, axes=[1, 0])
            b: R.Tensor((3, 48), dtype="float32") = R.nn.matmul_dequantize(x, lv, lv_1, R.const(0, "int8"), block_size=32)
            g: R.Tensor((64, 48), dtype="float32") = R.dequantize(w, c, R.const(0, "uint8"), axis=1, block_size=16)
            h: R.Tensor((3, 48), dtype="float32") = R.matmul(x, g)
            o: R.Tuple(R.Tensor((3, 48), dtype="float32"), R.Tensor((3, 48), dtype="float32"), R.Tensor((3, 48), dtype="float32")) = (a, b, h)
            R.output(o)
        return o
