# The first convolution has three channels and stays; the transpose stands where the tensor is small.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 3, 64, 64), "float32"), k: R.Tensor((3, 3, 5, 5), "float32"), w: R.Tensor((64, 3, 3, 3), "float32"), v: R.Tensor((64, 64, 3, 3), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a = R.nn.conv2d(x, k)
            b = R.nn.relu(a)
            c = R.nn.conv2d(b, w, strides=[2, 2], padding=[1, 1])
            d = R.nn.conv2d(c, v, strides=[2, 2], padding=[1, 1])
            y = R.mean(d, axis=[2, 3])
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 3, 64, 64), dtype="float32"), k: R.Tensor((3, 3, 5, 5), dtype="float32"), w: R.Tensor((64, 3, 3, 3), dtype="float32"), v: R.Tensor((64, 64, 3, 3), dtype="float32")) -> R.Tensor((1, 64), dtype="float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a: R.Tensor((1, 3, 60, 60), dtype="float32") = R.nn.conv2d(x, k)
            b: R.Tensor((1, 3, 60, 60), dtype="float32") = R.nn.relu(a)
            lv: R.Tensor((1, 60, 60, 3), dtype="float32") = R.permute_dims(b, axes=[0, 2, 3, 1])
            lv1: R.Tensor((3, 3, 3, 64), dtype="float32") = R.permute_dims(w, axes=[2, 3, 1, 0])
            c: R.Tensor((1, 30, 30, 64), dtype="float32") = R.nn.conv2d(lv, lv1, strides=[2, 2], padding=[1, 1, 1, 1], data_layout="NHWC", kernel_layout="HWIO")
            lv2: R.Tensor((3, 3, 64, 64), dtype="float32") = R.permute_dims(v, axes=[2, 3, 1, 0])
            d: R.Tensor((1, 15, 15, 64), dtype="float32") = R.nn.conv2d(c, lv2, strides=[2, 2], padding=[1, 1, 1, 1], data_layout="NHWC", kernel_layout="HWIO")
            y: R.Tensor((1, 64), dtype="float32") = R.mean(d, axis=[1, 2])
            R.output(y)
        return y
