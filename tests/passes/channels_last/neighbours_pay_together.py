# Two such convolutions and a pool between them save more than the transposes at the edges of the region.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 64, 56, 56), "float32"), w: R.Tensor((64, 64, 1, 1), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a = R.nn.conv2d(x, w)
            b = R.nn.max_pool2d(a, pool_size=[2, 2], strides=[2, 2])
            y = R.nn.conv2d(b, w)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 64, 56, 56), dtype="float32"), w: R.Tensor((64, 64, 1, 1), dtype="float32")) -> R.Tensor((1, 64, 28, 28), dtype="float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            lv: R.Tensor((1, 56, 56, 64), dtype="float32") = R.permute_dims(x, axes=[0, 2, 3, 1])
            lv1: R.Tensor((1, 1, 64, 64), dtype="float32") = R.permute_dims(w, axes=[2, 3, 1, 0])
            a: R.Tensor((1, 56, 56, 64), dtype="float32") = R.nn.conv2d(lv, lv1, data_layout="NHWC", kernel_layout="HWIO")
            b: R.Tensor((1, 28, 28, 64), dtype="float32") = R.nn.max_pool2d(a, pool_size=[2, 2], strides=[2, 2], layout="NHWC")
            lv2: R.Tensor((1, 1, 64, 64), dtype="float32") = R.permute_dims(w, axes=[2, 3, 1, 0])
            lv3: R.Tensor((1, 28, 28, 64), dtype="float32") = R.nn.conv2d(b, lv2, data_layout="NHWC", kernel_layout="HWIO")
            y: R.Tensor((1, 64, 28, 28), dtype="float32") = R.permute_dims(lv3, axes=[0, 3, 1, 2])
            R.output(y)
        return y
