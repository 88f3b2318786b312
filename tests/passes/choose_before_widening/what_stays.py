# unchanged
# What is chosen stays behind the widening where the table is small, the choice is larger than the table or known when
# compiling, or indices may be outside, which only floats have a value for. So do scales that no choice takes along, and
# tables that a run computes.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(i: R.Tensor((8,), "int64"), l: R.Tensor((128,), "int64"), k: R.Tensor((4, 64), "int64"), r: R.Tensor((64, 64), "int8"), m: R.Tensor((8, 8), "int8"), t: R.Tensor((64, 64), "int8"), s: R.Tensor((64,), "float32"), z: R.Tensor((64,), "int8"), n: R.Tensor((8,), "int64")):
        R.func_attr({"num_input": 4})
        with R.dataflow():
            v = R.dequantize(m, R.const(0.5, "float32"), R.const(0, "int8"))
            a = R.take(v, i, axis=0)
            d = R.dequantize(t, R.const(0.5, "float32"), R.const(0, "int8"))
            b = R.take(d, l, axis=0)
            c = R.take(d, n, axis=0)
            e = R.take(d, i, axis=0, mode="nan")
            w = R.dequantize(t, s, z, axis=1)
            f = R.gather_elements(w, k, axis=0)
            x = R.dequantize(r, R.const(0.5, "float32"), R.const(0, "int8"))
            g = R.take(x, i, axis=0)
            o = (a, b, c, e, f, g)
            R.output(o)
        return o
