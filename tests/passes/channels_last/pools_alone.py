# A pool has its channels last without a convolution, where that saves more than its transposes.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 16, 32, 32), "float32")):
        with R.dataflow():
            y = R.nn.max_pool2d(x, pool_size=[3, 3], strides=[1, 1])
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 16, 32, 32), dtype="float32")) -> R.Tensor((1, 16, 30, 30), dtype="float32"):
        with R.dataflow():
            lv: R.Tensor((1, 32, 32, 16), dtype="float32") = R.permute_dims(x, axes=[0, 2, 3, 1])
            lv1: R.Tensor((1, 30, 30, 16), dtype="float32") = R.nn.max_pool2d(lv, pool_size=[3, 3], layout="NHWC")
            y: R.Tensor((1, 16, 30, 30), dtype="float32") = R.permute_dims(lv1, axes=[0, 3, 1, 2])
            R.output(y)
        return y
