# What goes into blocks and back is as it was; a scale that lies between keeps both ways.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((8, 4), "float32")):
        with R.dataflow():
            a = R.layout_transform(x, index_map=lambda i, j: (j // 2, i, j % 2))
            b = R.layout_transform(a, index_map=lambda i, j, k: (j, i * 2 + k))
            c = R.exp(b)
            d = R.layout_transform(c, index_map=lambda i, j: (j, i))
            e = R.layout_transform(d, index_map=lambda i, j: (j, i))
            f = R.exp(a)
            g = R.layout_transform(f, index_map=lambda i, j, k: (j, i * 2 + k))
            h = (e, g)
            R.output(h)
        return h


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((8, 4), "float32")):
        with R.dataflow():
            a = R.layout_transform(x, index_map=lambda i, j: (j // 2, i, j % 2))
            c = R.exp(x)
            f = R.exp(a)
            g = R.layout_transform(f, index_map=lambda i, j, k: (j, i * 2 + k))
            h = (c, g)
            R.output(h)
        return h
