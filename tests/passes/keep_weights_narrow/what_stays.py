# unchanged
# A weight is widened as before where it is small, where something else reads it too, where scales lie along the steps, in
# other types, and where a run computes it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 64), "float32"), y: R.Tensor((2, 16), "float32"), q: R.Tensor((64, 48), "int8"), h: R.Tensor((2, 64), "float16"), w: R.Tensor((64, 48), "int8"), m: R.Tensor((16, 16), "int8"), s: R.Tensor((48,), "float32"), r: R.Tensor((64,), "float32"), g: R.Tensor((64, 48), "int8")):
        R.func_attr({"num_input": 4})
        with R.dataflow():
            d = R.dequantize(w, s, R.const(0, "int8"), axis=1)
            a = R.matmul(x, d)
            b = R.nn.relu(d)
            e = R.dequantize(m, R.const(0.5, "float32"), R.const(0, "int8"))
            c = R.matmul(y, e)
            f = R.dequantize(g, r, R.const(0, "int8"), axis=0)
            i = R.matmul(x, f)
            j = R.dequantize(q, s, R.const(0, "int8"), axis=1)
            k = R.matmul(x, j)
            l = R.astype(g, dtype="float16")
            n = R.matmul(h, l)
            o = (a, b, c, i, k, n)
            R.output(o)
        return o
