# What follows a product of halves stays halved, with constants in their range; what leaves the block has its own type.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 4), "float32")):
        with R.dataflow():
            y = R.matmul(x, w)
            z = R.multiply(y, R.const(2.0, "float32"))
            gv = R.nn.relu(z)
            R.output(gv)
        return gv


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 4), "float32")):
        with R.dataflow():
            x16 = R.astype(x, "float16")
            w16 = R.astype(w, "float16")
            wide = R.matmul(x16, w16, out_dtype="float32")
            y = R.astype(wide, "float16")
            two = R.astype(R.const(2.0, "float32"), "float16")
            z = R.multiply(y, two)
            last = R.nn.relu(z)
            gv = R.astype(last, "float32")
            R.output(gv)
        return gv
