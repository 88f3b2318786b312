# A tensor that was bfloat16 before is read as it was; where it was cast in another block, it is cast again.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 16), "bfloat16"), w: R.Tensor((16, 16), "bfloat16")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a = R.astype(x, "float32")
            b = R.astype(w, "float32")
            c = R.matmul(a, b)
            R.output(b, c)
        with R.dataflow():
            d = R.matmul(c, b)
            R.output(d)
        return d


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 16), "bfloat16"), w: R.Tensor((16, 16), "bfloat16")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            b = R.astype(w, "float32")
            c = R.matmul(x, w, out_dtype="float32")
            R.output(b, c)
        with R.dataflow():
            lv = R.astype(c, "bfloat16")
            lv_1 = R.astype(b, "bfloat16")
            d = R.matmul(lv, lv_1, out_dtype="float32")
            R.output(d)
        return d
