# What has few taps for its stride, dilated strides, other layouts and depthwise convolutions stay.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 5, 6, 3), "float32"), w: R.Tensor((1, 3, 3, 2), "float32"), v: R.Tensor((3, 3, 3, 2), "float32"), u: R.Tensor((3, 2, 4, 4), "float32"), d: R.Tensor((4, 4, 3, 1), "float32")):
        with R.dataflow():
            a = R.nn.conv2d_transpose(x, w, strides=2, data_layout="NHWC", kernel_layout="HWIO")
            b = R.nn.conv2d_transpose(x, v, strides=2, dilation=2, data_layout="NHWC", kernel_layout="HWIO")
            c = R.nn.conv2d_transpose(x, u, strides=2, data_layout="NHWC", kernel_layout="IOHW")
            e = R.nn.conv2d_transpose(x, d, strides=2, groups=3, data_layout="NHWC", kernel_layout="HWIO")
            R.output(a, b, c, e)
        return (a, b, c, e)


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 5, 6, 3), dtype="float32"), w: R.Tensor((1, 3, 3, 2), dtype="float32"), v: R.Tensor((3, 3, 3, 2), dtype="float32"), u: R.Tensor((3, 2, 4, 4), dtype="float32"), d: R.Tensor((4, 4, 3, 1), dtype="float32")) -> R.Tuple(R.Tensor((1, 9, 13, 2), dtype="float32"), R.Tensor((1, 13, 15, 2), dtype="float32"), R.Tensor((1, 12, 14, 2), dtype="float32"), R.Tensor((1, 12, 14, 3), dtype="float32")):
        with R.dataflow():
            a: R.Tensor((1, 9, 13, 2), dtype="float32") = R.nn.conv2d_transpose(x, w, strides=[2, 2], data_layout="NHWC", kernel_layout="HWIO")
            b: R.Tensor((1, 13, 15, 2), dtype="float32") = R.nn.conv2d_transpose(x, v, strides=[2, 2], dilation=[2, 2], data_layout="NHWC", kernel_layout="HWIO")
            c: R.Tensor((1, 12, 14, 2), dtype="float32") = R.nn.conv2d_transpose(x, u, strides=[2, 2], data_layout="NHWC")
            e: R.Tensor((1, 12, 14, 3), dtype="float32") = R.nn.conv2d_transpose(x, d, strides=[2, 2], groups=3, data_layout="NHWC", kernel_layout="HWIO")
            R.output(a, b, c, e)
        return (a, b, c, e)
