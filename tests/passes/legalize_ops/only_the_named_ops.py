# Of the ops, only those that are named become calls.
# pass: legalize-ops(only=[nn.relu])
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        y = R.exp(x)
        z = R.nn.relu(y)
        return z


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Expected
        y = R.exp(x)
        z = R.call_tir(cls.nn_relu, (y,), out_ty=R.Tensor((4,), "float32"))
        return z

    @T.prim_func(private=True)
    def nn_relu(A: T.Buffer((T.int64(4),), "float32"), T_1: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i0 in range(T.int64(4)):
            with T.sblock("compute"):
                v0 = T.axis.spatial(T.int64(4), i0)
                T.reads(A[v0])
                T.writes(T_1[v0])
                T_1[v0] = T.max(A[v0], T.float32(0))
