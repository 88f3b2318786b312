# A convolution that cannot have the desired layout keeps its own; its type becomes the one that follows from its operands.
# pass: convert-layout(desired_layouts={nn.conv2d: [NCHW4c, OIHW4o]})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 15, 8, 8), "float32"), w: R.Tensor((4, 15, 3, 3), "float32")):
        with R.dataflow():
            y: R.Tensor(ndim=4, dtype="float32") = R.nn.conv2d(x, w)
            z = R.exp(y)
            R.output(z)
        return z


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 15, 8, 8), "float32"), w: R.Tensor((4, 15, 3, 3), "float32")):
        with R.dataflow():
            y: R.Tensor((1, 4, 6, 6), "float32") = R.nn.conv2d(x, w)
            z = R.exp(y)
            R.output(z)
        return z
