# Products and convolutions read bfloat16 and give float32; a tensor that several read is cast once, and softmax stays.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 8, 6, 6), "float32"), w: R.Tensor((16, 8, 3, 3), "float32"), v: R.Tensor((6, 24), "float32"), u: R.Tensor((6, 16), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a = R.nn.conv2d(x, w, padding=1)
            b = R.nn.softmax(a, axis=-1)
            c = R.matmul(b, v)
            d = R.matmul(b, u)
            o = (b, c, d)
            R.output(o)
        return o


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 8, 6, 6), "float32"), w: R.Tensor((16, 8, 3, 3), "float32"), v: R.Tensor((6, 24), "float32"), u: R.Tensor((6, 16), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            lv = R.astype(x, "bfloat16")
            lv_1 = R.astype(w, "bfloat16")
            a = R.nn.conv2d(lv, lv_1, padding=1, out_dtype="float32")
            b = R.nn.softmax(a, axis=-1)
            lv_2 = R.astype(b, "bfloat16")
            lv_3 = R.astype(v, "bfloat16")
            c = R.matmul(lv_2, lv_3, out_dtype="float32")
            lv_4 = R.astype(u, "bfloat16")
            d = R.matmul(lv_2, lv_4, out_dtype="float32")
            o = (b, c, d)
            R.output(o)
        return o
