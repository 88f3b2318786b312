# error
# pass: convert-layout(desired_layouts={nn.conv2d: [NHWC]})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 3, 8, 8), "float32"), w: R.Tensor((4, 3, 3, 3), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, w)  # E0514: convert-layout: `nn.conv2d` takes 2 or 3 layouts, got 1
            R.output(a)
        return a
