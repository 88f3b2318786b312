# Attention reads queries, keys and values as bfloat16; its bias, softmax and result stay float32, and so does one whose keys have an odd width.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(q: R.Tensor((2, 16, 8), "float32"), k: R.Tensor((2, 8, 40), "float32"), v: R.Tensor((2, 40, 6), "float32"), b: R.Tensor((16, 40), "float32"), p: R.Tensor((2, 16, 7), "float32"), l: R.Tensor((2, 7, 40), "float32")):
        with R.dataflow():
            x = R.nn.product_attention(q, k, v, b)
            y = R.nn.product_attention(p, l, v)
            o = (x, y)
            R.output(o)
        return o


@I.ir_module
class Expected:
    @R.function
    def main(q: R.Tensor((2, 16, 8), "float32"), k: R.Tensor((2, 8, 40), "float32"), v: R.Tensor((2, 40, 6), "float32"), b: R.Tensor((16, 40), "float32"), p: R.Tensor((2, 16, 7), "float32"), l: R.Tensor((2, 7, 40), "float32")):
        with R.dataflow():
            lv = R.astype(q, "bfloat16")
            lv_1 = R.astype(k, "bfloat16")
            lv_2 = R.astype(v, "bfloat16")
            x = R.nn.product_attention(lv, lv_1, lv_2, b, out_dtype="float32")
            y = R.nn.product_attention(p, l, v)
            o = (x, y)
            R.output(o)
        return o
