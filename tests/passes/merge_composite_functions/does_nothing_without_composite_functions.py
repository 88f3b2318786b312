# unchanged
# A module whose functions no pattern has made stays as it is, names of values included.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        with R.dataflow():
            y: R.Tensor((4,), "float32") = R.exp(x)
            z: R.Tensor((4,), "float32") = y
            R.output(z)
        return z
