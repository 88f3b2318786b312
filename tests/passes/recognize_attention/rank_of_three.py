# Batches of one head, in float16, values of another width, keys that batches share.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(q: R.Tensor((2, 32, 2), "float16"), k: R.Tensor((1, 2, 8), "float16"), v: R.Tensor((2, 8, 3), "float16")):
        with R.dataflow():
            s = R.matmul(q, k)
            w = R.nn.softmax(s)
            y = R.matmul(w, v)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(q: R.Tensor((2, 32, 2), "float16"), k: R.Tensor((1, 2, 8), "float16"), v: R.Tensor((2, 8, 3), "float16")):
        with R.dataflow():
            y = R.nn.product_attention(q, k, v)
            R.output(y)
        return y
