# error
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():  # E0523: remove-purity-checking: a dataflow block is left, which is pure by definition
            a = R.add(x, x)
            R.output(a)
        return a
