# Two products of one input become one, whose result is split.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 8), "float32"), a: R.Tensor((8, 4), "float32"), b: R.Tensor((8, 6), "float32")):
        with R.dataflow():
            p = R.matmul(x, a)
            q = R.matmul(x, b)
            y = (p, q)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 8), "float32"), a: R.Tensor((8, 4), "float32"), b: R.Tensor((8, 6), "float32")):
        with R.dataflow():
            w = R.concat((a, b), axis=1)
            r = R.matmul(x, w, out_dtype="float32")
            s = R.split(r, indices_or_sections=[4], axis=1)
            p = s[0]
            q = s[1]
            y = (p, q)
            R.output(y)
        return y
