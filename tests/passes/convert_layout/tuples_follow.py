# Each field of a tuple has a layout of its own.
# pass: convert-layout(desired_layouts={nn.conv2d: [NHWC, OHWI]})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 3, 8, 8), "float32"), w: R.Tensor((4, 3, 3, 3), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, w)
            t = (a, x)
            b = t[0]
            c = R.nn.relu(b)
            d = t[1]
            R.output(c, d)
        return (c, d)


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 3, 8, 8), "float32"), w: R.Tensor((4, 3, 3, 3), "float32")):
        with R.dataflow():
            x1 = R.permute_dims(x, axes=[0, 2, 3, 1])
            w1 = R.permute_dims(w, axes=[0, 2, 3, 1])
            a = R.nn.conv2d(x1, w1, data_layout="NHWC", kernel_layout="OHWI")
            t = (a, x)
            b = t[0]
            c1 = R.nn.relu(b)
            c = R.permute_dims(c1, axes=[0, 3, 1, 2])
            d = t[1]
            R.output(c, d)
        return (c, d)
