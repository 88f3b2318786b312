# An injective kernel joins no product, but elementwise ones.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def product(a: T.Buffer((8,), "float32"), b: T.Buffer((8, 8), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 4, "tirx.noalias": True})
        for i0, i1 in T.grid(8, 8):
            with T.sblock("product"):
                v0, v1 = T.axis.remap("SR", [i0, i1])
                with T.init():
                    c[v0] = T.float32(0)
                c[v0] = c[v0] + a[v1] * b[v1, v0]

    @T.prim_func(private=True)
    def flip(a: T.Buffer((8,), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 2, "tirx.noalias": True})
        for i0 in T.grid(8):
            with T.sblock("flip"):
                v0 = T.axis.remap("S", [i0])
                c[v0] = a[7 - v0]

    @T.prim_func(private=True)
    def exp(a: T.Buffer((8,), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 0, "tirx.noalias": True})
        for i0 in T.grid(8):
            with T.sblock("exp"):
                v0 = T.axis.remap("S", [i0])
                c[v0] = T.exp(a[v0])

    @R.function
    def main(x: R.Tensor((8,), "float32"), w: R.Tensor((8, 8), "float32")) -> R.Tensor((8,), "float32"):
        with R.dataflow():
            y = R.call_tir(Before.product, (x, w), out_ty=R.Tensor((8,), "float32"))
            r = R.call_tir(Before.flip, (y,), out_ty=R.Tensor((8,), "float32"))
            e = R.call_tir(Before.exp, (r,), out_ty=R.Tensor((8,), "float32"))
            z = R.call_tir(Before.product, (e, w), out_ty=R.Tensor((8,), "float32"))
            R.output(z)
        return z


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def product(a: T.Buffer((8,), "float32"), b: T.Buffer((8, 8), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 4, "tirx.noalias": True})
        for i0, i1 in T.grid(8, 8):
            with T.sblock("product"):
                v0, v1 = T.axis.remap("SR", [i0, i1])
                with T.init():
                    c[v0] = T.float32(0)
                c[v0] = c[v0] + a[v1] * b[v1, v0]

    @T.prim_func(private=True)
    def flip(a: T.Buffer((8,), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 2, "tirx.noalias": True})
        for i0 in T.grid(8):
            with T.sblock("flip"):
                v0 = T.axis.remap("S", [i0])
                c[v0] = a[7 - v0]

    @T.prim_func(private=True)
    def exp(a: T.Buffer((8,), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 0, "tirx.noalias": True})
        for i0 in T.grid(8):
            with T.sblock("exp"):
                v0 = T.axis.remap("S", [i0])
                c[v0] = T.exp(a[v0])

    @R.function
    def main(x: R.Tensor((8,), "float32"), w: R.Tensor((8, 8), "float32")) -> R.Tensor((8,), "float32"):
        with R.dataflow():
            y = R.call_tir(Expected.product, (x, w), out_ty=R.Tensor((8,), "float32"))
            e: R.Tensor((8,), "float32") = Expected.fused_flip_exp(y)
            z = R.call_tir(Expected.product, (e, w), out_ty=R.Tensor((8,), "float32"))
            R.output(z)
        return z

    @R.function(private=True)
    def fused_flip_exp(y: R.Tensor((8,), "float32")) -> R.Tensor((8,), "float32"):
        R.func_attr({"Primitive": True})
        with R.dataflow():
            r = R.call_tir(Expected.flip, (y,), out_ty=R.Tensor((8,), "float32"))
            e = R.call_tir(Expected.exp, (r,), out_ty=R.Tensor((8,), "float32"))
            R.output(e)
        return e
