# unchanged
# A kernel that states a pattern keeps it, though its loops are freer.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def copy(a: T.Buffer((4,), "float32"), c: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 8, "tirx.noalias": True})
        for i0 in T.grid(4):
            with T.sblock("copy"):
                v0 = T.axis.remap("S", [i0])
                c[v0] = a[v0]
