# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 8, 6, 6), "float32"), y: R.Tensor((1, 33, 6, 6), "float32"), p: R.Tensor((4, 8, 64), "float32"), q: R.Tensor((4, 64, 40), "float32"), n: R.Tensor((40, "k"), "float32"), m: R.Tensor(("k", 40), "float32"), w: R.Tensor((3, 8, 3, 3), "float32"), v: R.Tensor((16, 33, 1, 1), "float32"), u: R.Tensor((48, 11, 3, 3), "float32"), t: R.Tensor((6, 8), "float32")):
        k = T.int64()
        R.func_attr({"num_input": 6})
        with R.dataflow():
            a = R.nn.conv2d(x, w)
            b = R.nn.conv2d(y, v)
            c = R.nn.conv2d(y, u, groups=3)
            d = R.matmul(x, t)
            e = R.matmul(p, q)
            f = R.matmul(n, m)
            o = (a, b, c, d, e, f)
            R.output(o)
        return o
