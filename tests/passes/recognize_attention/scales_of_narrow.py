# Scores of narrow floats that are widened to be scaled: so are the queries.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(q: R.Tensor((2, 3, "n", 4), "float16"), k: R.Tensor((2, 3, 4, "n"), "float16"), v: R.Tensor((2, 3, "n", 4), "float16")):
        with R.dataflow():
            s = R.matmul(q, k)
            s1 = R.astype(s, dtype="float32")
            s2 = R.multiply(s1, R.const(0.1, "float32"))
            s3 = R.astype(s2, dtype="float16")
            w = R.nn.softmax(s3)
            y = R.matmul(w, v)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(q: R.Tensor((2, 3, "n", 4), "float16"), k: R.Tensor((2, 3, 4, "n"), "float16"), v: R.Tensor((2, 3, "n", 4), "float16")):
        with R.dataflow():
            a = R.astype(q, dtype="float32")
            b = R.multiply(a, R.const(0.1, "float32"))
            c = R.astype(b, dtype="float16")
            y = R.nn.product_attention(c, k, v)
            R.output(y)
        return y
