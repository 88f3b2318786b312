# What takes few instructions is computed, and so is what few elements need, what depends on two tensors of bytes, and
# what has scales of its own for channels.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 4, 32, 32), "uint8"), y: R.Tensor((1, 4, 32, 32), "uint8"), z: R.Tensor((1, 4), "uint8"), s: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 3})
        with R.dataflow():
            d = R.dequantize(x, R.const(0.05, "float32"), R.const(128, "uint8"), axis=1)
            r = R.nn.relu(d)
            q = R.quantize(r, R.const(0.05, "float32"), R.const(128, "uint8"), axis=1, out_dtype="uint8")
            e = R.dequantize(y, R.const(0.05, "float32"), R.const(128, "uint8"), axis=1)
            t = R.tanh(e)
            m = R.multiply(d, t)
            p = R.quantize(m, R.const(0.05, "float32"), R.const(128, "uint8"), axis=1, out_dtype="uint8")
            f = R.dequantize(z, R.const(0.05, "float32"), R.const(128, "uint8"), axis=1)
            g = R.tanh(f)
            h = R.quantize(g, R.const(0.05, "float32"), R.const(128, "uint8"), axis=1, out_dtype="uint8")
            i = R.tanh(d)
            j = R.quantize(i, s, R.const(128, "uint8"), axis=1, out_dtype="uint8")
            o = (q, p, h, j)
            R.output(o)
        return o


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 4, 32, 32), "uint8"), y: R.Tensor((1, 4, 32, 32), "uint8"), z: R.Tensor((1, 4), "uint8"), s: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((1, 4, 32, 32), "uint8"), R.Tensor((1, 4, 32, 32), "uint8"), R.Tensor((1, 4), "uint8"), R.Tensor((1, 4, 32, 32), "uint8")):
        R.func_attr({"num_input": 3})
        with R.dataflow():
            d = R.dequantize(x, R.const(0.05, "float32"), R.const(128, "uint8"), axis=1)
            r = R.nn.relu(d)
            q = R.quantize(r, R.const(0.05, "float32"), R.const(128, "uint8"), axis=1, out_dtype="uint8")
            e = R.dequantize(y, R.const(0.05, "float32"), R.const(128, "uint8"), axis=1)
            t = R.tanh(e)
            m = R.multiply(d, t)
            p = R.quantize(m, R.const(0.05, "float32"), R.const(128, "uint8"), axis=1, out_dtype="uint8")
            f = R.dequantize(z, R.const(0.05, "float32"), R.const(128, "uint8"), axis=1)
            g = R.tanh(f)
            h = R.quantize(g, R.const(0.05, "float32"), R.const(128, "uint8"), axis=1, out_dtype="uint8")
            i = R.tanh(d)
            j = R.quantize(i, s, R.const(128, "uint8"), axis=1, out_dtype="uint8")
            o: R.Tuple(R.Tensor((1, 4, 32, 32), "uint8"), R.Tensor((1, 4, 32, 32), "uint8"), R.Tensor((1, 4), "uint8"), R.Tensor((1, 4, 32, 32), dtype="uint8")) = (q, p, h, j)
            R.output(o)
        return o

