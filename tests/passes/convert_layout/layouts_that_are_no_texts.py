# error: E0514: convert-layout: the layouts of `nn.conv2d` are a list of texts
# pass: convert-layout(desired_layouts={nn.conv2d: 4})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 3, 8, 8), "float32"), w: R.Tensor((4, 3, 3, 3), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, w)
            R.output(a)
        return a
