# Elements of a table with one scale are chosen as bytes, and then widened. So are those of a table of halves.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(i: R.Tensor(("b", "n"), "int64"), t: R.Tensor((64, 32), "uint8"), h: R.Tensor((64, 32), "float16")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            d = R.dequantize(t, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1)
            a = R.take(d, i, axis=0)
            f = R.astype(h, dtype="float32")
            b = R.take(f, i, axis=0, mode="clip")
            o = R.add(a, b)
            R.output(o)
        return o


@I.ir_module
class Expected:
    @R.function
    def main(i: R.Tensor(("b", "n"), dtype="int64"), t: R.Tensor((64, 32), dtype="uint8"), h: R.Tensor((64, 32), dtype="float16")) -> R.Tensor(("b", "n", 32), dtype="float32"):
        R.func_attr({"num_input": 1})
        b = T.int64()
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((b, n, 32), dtype="uint8") = R.take(t, i, axis=0)
            a: R.Tensor((b, n, 32), dtype="float32") = R.dequantize(lv, R.const(0.5, "float32"), R.const(3, "uint8"), axis=0)
            lv_1: R.Tensor((b, n, 32), dtype="float16") = R.take(h, i, axis=0, mode="clip")
            b_1: R.Tensor((b, n, 32), dtype="float32") = R.astype(lv_1, dtype="float32")
            o: R.Tensor((b, n, 32), dtype="float32") = R.add(a, b_1)
            R.output(o)
        return o
