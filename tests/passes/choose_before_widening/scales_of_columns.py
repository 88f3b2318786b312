# Scales along another axis stay, and their axis may move.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(j: R.Tensor((2, 3), "int64"), t: R.Tensor((64, 128), "int8"), s: R.Tensor((128,), "float32"), z: R.Tensor((128,), "int8"), u: R.Tensor((128,), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            d = R.dequantize(t, s, z, axis=1)
            a = R.take(d, j, axis=0)
            p = R.permute_dims(t, axes=[1, 0])
            e = R.dequantize(p, u, z, axis=0)
            b = R.take(e, j, axis=1)
            o = (a, b)
            R.output(o)
        return o


@I.ir_module
class Expected:
    @R.function
    def main(j: R.Tensor((2, 3), dtype="int64"), t: R.Tensor((64, 128), dtype="int8"), s: R.Tensor((128,), dtype="float32"), z: R.Tensor((128,), dtype="int8"), u: R.Tensor((128,), dtype="float32")) -> R.Tuple(R.Tensor((2, 3, 128), dtype="float32"), R.Tensor((128, 2, 3), dtype="float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            lv: R.Tensor((2, 3, 128), dtype="int8") = R.take(t, j, axis=0)
            a: R.Tensor((2, 3, 128), dtype="float32") = R.dequantize(lv, s, z, axis=2)
            p: R.Tensor((128, 64), dtype="int8") = R.permute_dims(t, axes=[1, 0])
            lv_1: R.Tensor((128, 2, 3), dtype="int8") = R.take(p, j, axis=1)
            b: R.Tensor((128, 2, 3), dtype="float32") = R.dequantize(lv_1, u, z, axis=0)
            o: R.Tuple(R.Tensor((2, 3, 128), dtype="float32"), R.Tensor((128, 2, 3), dtype="float32")) = (a, b)
            R.output(o)
        return o
