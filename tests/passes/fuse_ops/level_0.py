# unchanged
# pass: fuse-ops(fuse_opt_level=0)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def exp(a: T.Buffer((8,), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 0, "tirx.noalias": True})
        for i0 in T.grid(8):
            with T.sblock("exp"):
                v0 = T.axis.remap("S", [i0])
                c[v0] = T.exp(a[v0])

    @R.function
    def main(x: R.Tensor((8,), "float32")) -> R.Tensor((8,), "float32"):
        with R.dataflow():
            a = R.call_tir(Before.exp, (x,), out_ty=R.Tensor((8,), "float32"))
            z = R.call_tir(Before.exp, (a,), out_ty=R.Tensor((8,), "float32"))
            R.output(z)
        return z
