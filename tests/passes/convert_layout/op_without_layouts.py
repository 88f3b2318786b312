# error
# pass: convert-layout(desired_layouts={add: [NHWC]})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 3, 8, 8), "float32")):
        with R.dataflow():
            a = R.add(x, x)  # E0514: convert-layout: `add` takes no layout of its own
            R.output(a)
        return a
