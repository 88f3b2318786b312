# A group without uses goes, after which another run finds more to fuse.
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

    @T.prim_func(private=True)
    def flip(a: T.Buffer((8,), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 2, "tirx.noalias": True})
        for i0 in T.grid(8):
            with T.sblock("flip"):
                v0 = T.axis.remap("S", [i0])
                c[v0] = a[7 - v0]

    @R.function
    def main(x: R.Tensor((8,), "float32")) -> R.Tensor((8,), "float32"):
        with R.dataflow():
            a = R.call_tir(Before.exp, (x,), out_ty=R.Tensor((8,), "float32"))
            b = R.call_tir(Before.flip, (a,), out_ty=R.Tensor((8,), "float32"))
            d = R.call_tir(Before.exp, (b,), out_ty=R.Tensor((8,), "float32"))
            z = R.call_tir(Before.exp, (a,), out_ty=R.Tensor((8,), "float32"))
            R.output(z)
        return z


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def exp(a: T.Buffer((8,), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 0, "tirx.noalias": True})
        for i0 in T.grid(8):
            with T.sblock("exp"):
                v0 = T.axis.remap("S", [i0])
                c[v0] = T.exp(a[v0])

    @T.prim_func(private=True)
    def flip(a: T.Buffer((8,), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 2, "tirx.noalias": True})
        for i0 in T.grid(8):
            with T.sblock("flip"):
                v0 = T.axis.remap("S", [i0])
                c[v0] = a[7 - v0]

    @R.function
    def main(x: R.Tensor((8,), "float32")) -> R.Tensor((8,), "float32"):
        with R.dataflow():
            a = R.call_tir(Expected.exp, (x,), out_ty=R.Tensor((8,), "float32"))
            z = R.call_tir(Expected.exp, (a,), out_ty=R.Tensor((8,), "float32"))
            R.output(z)
        return z
