# A width that is a symbol comes last; a second one stays apart.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 8), "float32"), a: R.Tensor((8, "m"), "float32"), b: R.Tensor((8, 4), "float32"), c: R.Tensor((8, "n"), "float32")):
        with R.dataflow():
            p = R.matmul(x, a)
            q = R.matmul(x, b)
            r = R.matmul(x, c)
            y = (p, q, r)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 8), "float32"), a: R.Tensor((8, "m"), "float32"), b: R.Tensor((8, 4), "float32"), c: R.Tensor((8, "n"), "float32")):
        m = T.int64()
        with R.dataflow():
            w = R.concat((b, a), axis=1)
            o = R.matmul(x, w, out_dtype="float32")
            s: R.Tuple(R.Tensor((2, 4), "float32"), R.Tensor((2, m), "float32")) = R.split(o, indices_or_sections=[4], axis=1)
            p: R.Tensor((2, m), "float32") = s[1]
            q: R.Tensor((2, 4), "float32") = s[0]
            r = R.matmul(x, c)
            y = (p, q, r)
            R.output(y)
        return y
