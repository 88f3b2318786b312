# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 1), "float32"), y: R.Tensor((2, 1), "float64"), z: R.Tensor((2, 1))):
        with R.dataflow():
            a = R.matmul(x, R.const([[70000.0]], "float32"))
            b = R.matmul(y, R.const([[1.0]], "float64"))
            c = R.nn.softmax(x)
            d: R.Tensor(ndim=2) = R.nn.relu(z)
            gv = (a, b, c, d)
            R.output(gv)
        return gv
