# The transposes around it stay.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(q: R.Tensor((2, 3, "n", 4), "float32"), k: R.Tensor((2, 3, "n", 4), "float32"), v: R.Tensor((2, 3, "n", 4), "float32")):
        with R.dataflow():
            t = R.permute_dims(k, axes=[0, 1, 3, 2])
            s = R.matmul(q, t)
            w = R.nn.softmax(s, axis=3)
            a = R.matmul(w, v)
            y = R.permute_dims(a, axes=[0, 2, 1, 3])
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(q: R.Tensor((2, 3, "n", 4), "float32"), k: R.Tensor((2, 3, "n", 4), "float32"), v: R.Tensor((2, 3, "n", 4), "float32")):
        with R.dataflow():
            t = R.permute_dims(k, axes=[0, 1, 3, 2])
            a = R.nn.product_attention(q, t, v)
            y = R.permute_dims(a, axes=[0, 2, 1, 3])
            R.output(y)
        return y
