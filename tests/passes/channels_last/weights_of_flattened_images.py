# A flattened image is multiplied as it lies: the rows of the weight are permuted.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 16, 12, 12), "float32"), w: R.Tensor((16, 16, 3, 3), "float32"), v: R.Tensor((1600, 8), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            c = R.nn.conv2d(x, w)
            f = R.reshape(c, (1, 1600))
            y = R.matmul(f, v)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 16, 12, 12), dtype="float32"), w: R.Tensor((16, 16, 3, 3), dtype="float32"), v: R.Tensor((1600, 8), dtype="float32")) -> R.Tensor((1, 8), dtype="float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            lv: R.Tensor((1, 12, 12, 16), dtype="float32") = R.permute_dims(x, axes=[0, 2, 3, 1])
            lv1: R.Tensor((3, 3, 16, 16), dtype="float32") = R.permute_dims(w, axes=[2, 3, 1, 0])
            c: R.Tensor((1, 10, 10, 16), dtype="float32") = R.nn.conv2d(lv, lv1, data_layout="NHWC", kernel_layout="HWIO")
            lv2: R.Tensor((1, 16, 10, 10), dtype="float32") = R.permute_dims(c, axes=[0, 3, 1, 2])
            f: R.Tensor((1, 1600), dtype="float32") = R.reshape(c, R.shape([1, 1600]))
            lv3: R.Tensor((16, 10, 10, 8), dtype="float32") = R.reshape(v, R.shape([16, 10, 10, 8]))
            lv4: R.Tensor((10, 10, 16, 8), dtype="float32") = R.permute_dims(lv3, axes=[1, 2, 0, 3])
            lv5: R.Tensor((1600, 8), dtype="float32") = R.reshape(lv4, R.shape([1600, 8]))
            y: R.Tensor((1, 8), dtype="float32") = R.matmul(f, lv5)
            R.output(y)
        return y
