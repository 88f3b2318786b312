# A claim about a tensor is made of it as it is stored.
# pass: convert-layout(desired_layouts={nn.conv2d: [NHWC, OHWI]})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor("float32", ndim=4), w: R.Tensor("float32", ndim=4)):
        n, c, h, v = T.int64(), T.int64(), T.int64(), T.int64()
        with R.dataflow():
            a = R.nn.conv2d(x, w)
            b = R.match_cast(a, R.Tensor((n, c, h, v), "float32"))
            d = R.nn.relu(b)
            R.output(d)
        return d


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor("float32", ndim=4), w: R.Tensor("float32", ndim=4)):
        n, c, h, v = T.int64(), T.int64(), T.int64(), T.int64()
        with R.dataflow():
            x1 = R.permute_dims(x, axes=[0, 2, 3, 1])
            w1 = R.permute_dims(w, axes=[0, 2, 3, 1])
            a = R.nn.conv2d(x1, w1, data_layout="NHWC", kernel_layout="OHWI")
            b = R.match_cast(a, R.Tensor((n, h, v, c), "float32"))
            d1 = R.nn.relu(b)
            d = R.permute_dims(d1, axes=[0, 3, 1, 2])
            R.output(d)
        return d
