# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 8, 6, 6), "float32"), w: R.Tensor((8, 1, 3, 3), "float32"), y: R.Tensor((2, 3), "float64"), v: R.Tensor((3, 4), "float64"), z: R.Tensor((2, 3), "bfloat16"), u: R.Tensor((3, 4), "bfloat16")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a = R.nn.conv2d(x, w, groups=8)
            b = R.matmul(y, v)
            c = R.matmul(z, u, out_dtype="float32")
            d = R.matmul(z, u)
            e = R.nn.relu(x)
            o = (a, b, c, d, e)
            R.output(o)
        return o
