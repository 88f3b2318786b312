# What lies behind a convolution stays in its layout; what leaves the block, and what depends on an order, is brought back.
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
            b = R.nn.relu(a)
            c = R.mean(b, axis=[2, 3])
            d = R.reshape(b, (2, 144))
            R.output(b, c, d)
        return (b, c, d)


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 3, 8, 8), "float32"), w: R.Tensor((4, 3, 3, 3), "float32")):
        with R.dataflow():
            x1 = R.permute_dims(x, axes=[0, 2, 3, 1])
            w1 = R.permute_dims(w, axes=[0, 2, 3, 1])
            a = R.nn.conv2d(x1, w1, data_layout="NHWC", kernel_layout="OHWI")
            b1 = R.nn.relu(a)
            b = R.permute_dims(b1, axes=[0, 3, 1, 2])
            c = R.mean(b, axis=[2, 3])
            d = R.reshape(b, (2, 144))
            R.output(b, c, d)
        return (b, c, d)
