# What is permuted to have its channels first is read before that, and the result is permuted back.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 32, 32, 16), "float32"), w: R.Tensor((32, 16, 3, 3), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a = R.permute_dims(x, axes=[0, 3, 1, 2])
            c = R.nn.conv2d(a, w)
            y = R.permute_dims(c, axes=[0, 2, 3, 1])
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 32, 32, 16), dtype="float32"), w: R.Tensor((32, 16, 3, 3), dtype="float32")) -> R.Tensor((1, 30, 30, 32), dtype="float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a: R.Tensor((1, 16, 32, 32), dtype="float32") = R.permute_dims(x, axes=[0, 3, 1, 2])
            lv: R.Tensor((1, 32, 32, 16), dtype="float32") = R.permute_dims(a, axes=[0, 2, 3, 1])
            lv1: R.Tensor((3, 3, 16, 32), dtype="float32") = R.permute_dims(w, axes=[2, 3, 1, 0])
            c: R.Tensor((1, 30, 30, 32), dtype="float32") = R.nn.conv2d(lv, lv1, data_layout="NHWC", kernel_layout="HWIO")
            y: R.Tensor((1, 30, 30, 32), dtype="float32") = R.permute_dims(c, axes=[0, 1, 2, 3])
            R.output(y)
        return y
