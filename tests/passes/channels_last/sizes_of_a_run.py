# Sizes that only a run says count as 224, a batch as one.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", 64, "h", "w"), "float32"), k: R.Tensor((64, 64, 3, 3), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            c = R.nn.conv2d(x, k, padding=[1, 1])
            y = R.nn.relu(c)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n", 64, "h", "w"), dtype="float32"), k: R.Tensor((64, 64, 3, 3), dtype="float32")) -> R.Tensor(("n", 64, "h", "w"), dtype="float32"):
        R.func_attr({"num_input": 1})
        n = T.int64()
        h = T.int64()
        w = T.int64()
        with R.dataflow():
            lv: R.Tensor((n, h, w, 64), dtype="float32") = R.permute_dims(x, axes=[0, 2, 3, 1])
            lv1: R.Tensor((3, 3, 64, 64), dtype="float32") = R.permute_dims(k, axes=[2, 3, 1, 0])
            c: R.Tensor((n, h, w, 64), dtype="float32") = R.nn.conv2d(lv, lv1, padding=[1, 1, 1, 1], data_layout="NHWC", kernel_layout="HWIO")
            lv2: R.Tensor((n, h, w, 64), dtype="float32") = R.nn.relu(c)
            y: R.Tensor((n, 64, h, w), dtype="float32") = R.permute_dims(lv2, axes=[0, 3, 1, 2])
            R.output(y)
        return y
