# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 8), "float32"), z: R.Tensor((2, 8), "float32"), a: R.Tensor((8, 4), "float32")):
        with R.dataflow():
            p = R.matmul(x, a)
            q = R.matmul(z, a)
            y = (p, q)
            R.output(y)
        return y
