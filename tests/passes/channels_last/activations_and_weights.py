# A convolution, and what follows it, has its channels last; the result is as before.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 32, 12, 12), "float32"), w: R.Tensor((32, 32, 3, 3), "float32"), b: R.Tensor((1, 32, 1, 1), "float32")):
        with R.dataflow():
            c = R.nn.conv2d(x, w, padding=[1, 1])
            s = R.add(c, b)
            p = R.nn.max_pool2d(s, pool_size=[2, 2], strides=[2, 2])
            y = R.nn.conv2d_transpose(p, R.permute_dims(w, [0, 1, 2, 3]), strides=[2, 2])
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 32, 12, 12), dtype="float32"), w: R.Tensor((32, 32, 3, 3), dtype="float32"), b: R.Tensor((1, 32, 1, 1), dtype="float32")) -> R.Tensor((2, 32, 13, 13), dtype="float32"):
        with R.dataflow():
            lv: R.Tensor((2, 12, 12, 32), dtype="float32") = R.permute_dims(x, axes=[0, 2, 3, 1])
            lv1: R.Tensor((3, 3, 32, 32), dtype="float32") = R.permute_dims(w, axes=[2, 3, 1, 0])
            c: R.Tensor((2, 12, 12, 32), dtype="float32") = R.nn.conv2d(lv, lv1, padding=[1, 1, 1, 1], data_layout="NHWC", kernel_layout="HWIO")
            lv2: R.Tensor((1, 1, 1, 32), dtype="float32") = R.permute_dims(b, axes=[0, 2, 3, 1])
            s: R.Tensor((2, 12, 12, 32), dtype="float32") = R.add(c, lv2)
            p: R.Tensor((2, 6, 6, 32), dtype="float32") = R.nn.max_pool2d(s, pool_size=[2, 2], strides=[2, 2], layout="NHWC")
            lv3: R.Tensor((32, 32, 3, 3), dtype="float32") = R.permute_dims(w, axes=[0, 1, 2, 3])
            lv4: R.Tensor((3, 3, 32, 32), dtype="float32") = R.permute_dims(lv3, axes=[2, 3, 0, 1])
            lv5: R.Tensor((2, 13, 13, 32), dtype="float32") = R.nn.conv2d_transpose(p, lv4, strides=[2, 2], data_layout="NHWC", kernel_layout="HWIO")
            y: R.Tensor((2, 32, 13, 13), dtype="float32") = R.permute_dims(lv5, axes=[0, 3, 1, 2])
            R.output(y)
        return y
