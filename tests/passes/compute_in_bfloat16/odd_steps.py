# An odd number of steps is filled up to pairs, where each element of the data is read often enough.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 3, 6, 6), "float32"), y: R.Tensor((2, 5), "float32"), w: R.Tensor((16, 3, 3, 3), "float32"), v: R.Tensor((5, 32), "float32")):
        R.func_attr({"num_input": 2})
        with R.dataflow():
            a = R.nn.conv2d(x, w)
            e = R.matmul(y, v)
            f = R.nn.conv2d(x, w, strides=2)
            o = (a, e, f)
            R.output(o)
        return o


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((1, 3, 6, 6), "float32"), y: R.Tensor((2, 5), "float32"), w: R.Tensor((16, 3, 3, 3), "float32"), v: R.Tensor((5, 32), "float32")):
        R.func_attr({"num_input": 2})
        with R.dataflow():
            lv = R.astype(x, "bfloat16")
            lv_1 = R.astype(w, "bfloat16")
            lv_2 = R.nn.pad(lv, pad_width=[0, 0, 0, 1, 0, 0, 0, 0])
            lv_3 = R.nn.pad(lv_1, pad_width=[0, 0, 0, 1, 0, 0, 0, 0])
            a = R.nn.conv2d(lv_2, lv_3, out_dtype="float32")
            lv_4 = R.astype(y, "bfloat16")
            lv_5 = R.astype(v, "bfloat16")
            lv_6 = R.nn.pad(lv_4, pad_width=[0, 0, 0, 1])
            lv_7 = R.nn.pad(lv_5, pad_width=[0, 1, 0, 0])
            e = R.matmul(lv_6, lv_7, out_dtype="float32")
            f = R.nn.conv2d(lv_2, lv_3, strides=2, out_dtype="float32")
            o = (a, e, f)
            R.output(o)
        return o
