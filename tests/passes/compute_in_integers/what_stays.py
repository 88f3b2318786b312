# Products stay where both operands are computed and there are few rows, where the weight has zero points or scales along the steps, is not
# quantised, or is short, and where the data has scales along the steps. So do groups of more than
# 8 results whose channels fill no whole step.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 16), "uint8"), s: R.Tensor((16,), "float32"), y: R.Tensor((16, 4), "int8"), m: R.Tensor((1, 6, 4, 4), "uint8"), w: R.Tensor((16, 4), "int8"), zs: R.Tensor((16,), "int8"), f: R.Tensor((16, 4), "float32"), v: R.Tensor((18, 3, 3, 3), "int8")):
        R.func_attr({"num_input": 4})
        with R.dataflow():
            a = R.dequantize(x, R.const(0.5, "float32"), R.const(0, "uint8"))
            b = R.dequantize(y, R.const(0.5, "float32"), R.const(0, "int8"))
            c = R.matmul(a, b)
            d = R.dequantize(w, R.const(0.5, "float32"), zs, axis=0)
            e = R.matmul(a, d)
            g = R.dequantize(w, s, R.const(0, "int8"), axis=0)
            h = R.matmul(a, g)
            i = R.matmul(a, f)
            j = R.dequantize(x, s, R.const(0, "uint8"), axis=1)
            k = R.dequantize(w, R.const(0.5, "float32"), R.const(0, "int8"))
            l = R.matmul(j, k)
            n = R.dequantize(m, R.const(0.5, "float32"), R.const(0, "uint8"))
            o = R.dequantize(v, R.const(0.5, "float32"), R.const(0, "int8"))
            p = R.nn.conv2d(n, o, groups=2)
            q = R.strided_slice(a, axes=(1,), begin=(0,), end=(8,))
            r = R.strided_slice(k, axes=(0,), begin=(0,), end=(8,))
            t = R.matmul(q, r)
            u = (c, e, h, i, l, p, t)
            R.output(u)
        return u


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 16), dtype="uint8"), s: R.Tensor((16,), dtype="float32"), y: R.Tensor((16, 4), dtype="int8"), m: R.Tensor((1, 6, 4, 4), dtype="uint8"), w: R.Tensor((16, 4), dtype="int8"), zs: R.Tensor((16,), dtype="int8"), f: R.Tensor((16, 4), dtype="float32"), v: R.Tensor((18, 3, 3, 3), dtype="int8")) -> R.Tuple(R.Tensor((2, 4), dtype="float32"), R.Tensor((2, 4), dtype="float32"), R.Tensor((2, 4), dtype="float32"), R.Tensor((2, 4), dtype="float32"), R.Tensor((2, 4), dtype="float32"), R.Tensor((1, 18, 2, 2), dtype="float32"), R.Tensor((2, 4), dtype="float32")):
        R.func_attr({"num_input": 4})
        with R.dataflow():
            a: R.Tensor((2, 16), dtype="float32") = R.dequantize(x, R.const(0.5, "float32"), R.const(0, "uint8"))
            b: R.Tensor((16, 4), dtype="float32") = R.dequantize(y, R.const(0.5, "float32"), R.const(0, "int8"))
            c: R.Tensor((2, 4), dtype="float32") = R.matmul(a, b)
            d: R.Tensor((16, 4), dtype="float32") = R.dequantize(w, R.const(0.5, "float32"), zs, axis=0)
            e: R.Tensor((2, 4), dtype="float32") = R.matmul(a, d)
            g: R.Tensor((16, 4), dtype="float32") = R.dequantize(w, s, R.const(0, "int8"), axis=0)
            h: R.Tensor((2, 4), dtype="float32") = R.matmul(a, g)
            i: R.Tensor((2, 4), dtype="float32") = R.matmul(a, f)
            j: R.Tensor((2, 16), dtype="float32") = R.dequantize(x, s, R.const(0, "uint8"), axis=1)
            k: R.Tensor((16, 4), dtype="float32") = R.dequantize(w, R.const(0.5, "float32"), R.const(0, "int8"))
            l: R.Tensor((2, 4), dtype="float32") = R.matmul(j, k)
            n: R.Tensor((1, 6, 4, 4), dtype="float32") = R.dequantize(m, R.const(0.5, "float32"), R.const(0, "uint8"))
            o: R.Tensor((18, 3, 3, 3), dtype="float32") = R.dequantize(v, R.const(0.5, "float32"), R.const(0, "int8"))
            p: R.Tensor((1, 18, 2, 2), dtype="float32") = R.nn.conv2d(n, o, groups=2)
            q: R.Tensor((2, 8), dtype="float32") = R.strided_slice(a, (1,), (0,), (8,))
            r: R.Tensor((8, 4), dtype="float32") = R.strided_slice(k, (0,), (0,), (8,))
            t: R.Tensor((2, 4), dtype="float32") = R.matmul(q, r)
            u: R.Tuple(R.Tensor((2, 4), dtype="float32"), R.Tensor((2, 4), dtype="float32"), R.Tensor((2, 4), dtype="float32"), R.Tensor((2, 4), dtype="float32"), R.Tensor((2, 4), dtype="float32"), R.Tensor((1, 18, 2, 2), dtype="float32"), R.Tensor((2, 4), dtype="float32")) = (c, e, h, i, l, p, t)
            R.output(u)
        return u
