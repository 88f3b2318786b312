# Without an axis elements are repeated in the order of the program: the tensor is brought back first.
# pass: convert-layout(desired_layouts={nn.conv2d: [NHWC, OHWI]})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 3, 4, 4), "float32"), w: R.Tensor((4, 3, 3, 3), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, w)
            b = R.repeat(a, repeats=2)
            R.output(b)
        return b


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 3, 4, 4), "float32"), w: R.Tensor((4, 3, 3, 3), "float32")):
        with R.dataflow():
            x1 = R.permute_dims(x, axes=[0, 2, 3, 1])
            w1 = R.permute_dims(w, axes=[0, 2, 3, 1])
            a = R.nn.conv2d(x1, w1, data_layout="NHWC", kernel_layout="OHWI")
            a1 = R.permute_dims(a, axes=[0, 3, 1, 2])
            b = R.repeat(a1, repeats=2)
            R.output(b)
        return b
