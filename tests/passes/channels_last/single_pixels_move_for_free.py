# A transpose of images of one pixel moves nothing, so it costs nothing.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 64, 1, 1), "float32"), w: R.Tensor((128, 64, 1, 1), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y = R.nn.conv2d(x, w)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 64, 1, 1), dtype="float32"), w: R.Tensor((128, 64, 1, 1), dtype="float32")) -> R.Tensor((1, 128, 1, 1), dtype="float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            lv: R.Tensor((1, 1, 1, 64), dtype="float32") = R.permute_dims(x, axes=[0, 2, 3, 1])
            lv1: R.Tensor((1, 1, 64, 128), dtype="float32") = R.permute_dims(w, axes=[2, 3, 1, 0])
            lv2: R.Tensor((1, 1, 1, 128), dtype="float32") = R.nn.conv2d(lv, lv1, data_layout="NHWC", kernel_layout="HWIO")
            y: R.Tensor((1, 128, 1, 1), dtype="float32") = R.permute_dims(lv2, axes=[0, 3, 1, 2])
            R.output(y)
        return y
