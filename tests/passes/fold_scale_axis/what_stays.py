# unchanged
# Scales of single elements, of unknown weights, behind what others read, or of unknown sign behind a relu.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((3, 4), "float32"), y: R.Tensor((4, 5), "float32"), w: R.Tensor((4, 5), "float32"), s: R.Tensor((5,), "float32"), r: R.Tensor((3, 5), "float32")):
        R.func_attr({"num_input": 2})
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.multiply(a, r)
            c = R.matmul(x, y)
            d = R.multiply(c, s)
            e = R.matmul(x, w)
            f = R.multiply(e, s)
            g = R.matmul(x, w)
            h = R.nn.relu(g)
            i = R.multiply(h, s)
            j = (b, d, e, f, i)
            R.output(j)
        return j
