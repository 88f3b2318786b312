# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(
        x: R.Tensor(("n",), "float32"), y: R.Tensor(("m",), "float32"), c: R.Tensor((), "bool")
    ) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        m = T.int64()
        # Of the size, the cast says in a branch alone what it is in terms of itself.
        if c:
            sizes: R.Shape([n]) = R.match_cast(R.shape([T.Select(m == 1, n, m)]), R.Shape([n]))
            z: R.Tensor((n,), dtype="float32") = R.broadcast_to(y, R.shape([n]))
            r: R.Tensor((n,), dtype="float32") = R.add(x, z)
        else:
            r: R.Tensor((n,), dtype="float32") = x
        return r
