# Blocks are given up where an operand is not known to have them: what is broadcast must not be padded.
# pass: convert-layout(desired_layouts={nn.conv2d: [NCHW4c, OIHW4o]})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 4, 8, 8), "float32"), w: R.Tensor((4, 4, 3, 3), "float32"), b: R.Tensor((1, "c", 1, 1))):
        with R.dataflow():
            a = R.nn.conv2d(x, w)
            y = R.add(a, b)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 4, 8, 8), "float32"), w: R.Tensor((4, 4, 3, 3), "float32"), b: R.Tensor((1, "c", 1, 1))):
        with R.dataflow():
            x1 = R.layout_transform(
                x, index_map=T.index_map(lambda n, c, h, w: (n, c // 4, h, w, c % 4), index_dtype="int32")
            )
            w1 = R.layout_transform(
                w, index_map=T.index_map(lambda o, i, h, w: (o // 4, i, h, w, o % 4), index_dtype="int32")
            )
            a = R.nn.conv2d(x1, w1, data_layout="NCHW4c", kernel_layout="OIHW4o")
            a1 = R.layout_transform(
                a, index_map=T.index_map(lambda n, c, h, w, k: (n, c * 4 + k, h, w), index_dtype="int32")
            )
            y = R.add(a1, b)
            R.output(y)
        return y
