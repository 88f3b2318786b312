# Products widen weights of 16 bits themselves.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 3, 64), "float32"), w: R.Tensor((64, 48), "float16"), v: R.Tensor((48, 64), "bfloat16")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            d = R.astype(w, dtype="float32")
            a = R.matmul(x, d)
            e = R.permute_dims(v, axes=[1, 0])
            f = R.astype(e, dtype="float32")
            b = R.matmul(x, f)
            o = R.add(a, b)
            R.output(o)
        return o


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 3, 64), dtype="float32"), w: R.Tensor((64, 48), dtype="float16"), v: R.Tensor((48, 64), dtype="bfloat16")) -> R.Tensor((2, 3, 48), dtype="float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a: R.Tensor((2, 3, 48), dtype="float32") = R.matmul(x, w, out_dtype="float32")
            e: R.Tensor((64, 48), dtype="bfloat16") = R.permute_dims(v, axes=[1, 0])
            b: R.Tensor((2, 3, 48), dtype="float32") = R.matmul(x, e, out_dtype="float32")
            o: R.Tensor((2, 3, 48), dtype="float32") = R.add(a, b)
            R.output(o)
        return o
