# unchanged
# Without a rank or a dtype there is nothing to name.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor, y: R.Tensor(ndim=2), s: R.Shape):
        z = R.nonzero(x)
        i = R.match_cast(z, R.Tensor((2, 3), "int64"))
        return (i, y, s)
