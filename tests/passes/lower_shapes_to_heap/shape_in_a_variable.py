# error
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(s: R.Shape(ndim=1), x: R.Tensor):
        y = R.match_cast(x, R.Tensor(s, "float32"))  # E0535: lower-shapes-to-heap: the shape of
        return y
