# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(ndim=2, dtype="float32")):
        p = T.int64()
        q = T.int64()
        a = R.match_cast(x, R.Tensor((p, q), "float32"))
        b = R.add(a, a)
        return b
