# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("k", "l"), "float32")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.add(a, y)
            R.output(b)
        return b
