# error
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2,), "float32"), y: R.Tensor((3,), "float32")):
        n = T.int64()
        a = R.match_cast(x, R.Tensor((n,), "float32"))
        b = R.match_cast(y, R.Tensor((n,), "float32"))  # E0516: MatchCast statements must be consistent: `n` is 2 and 3
        return (a, b)
