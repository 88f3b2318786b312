# A primitive function becomes a kernel with the value between the two in it; kernels without other callers go.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def exp(a: T.Buffer((8,), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i0 in T.grid(8):
            with T.sblock("exp"):
                v0 = T.axis.remap("S", [i0])
                c[v0] = T.exp(a[v0])

    @R.function(private=True)
    def fused(x: R.Tensor((8,), "float32")) -> R.Tensor((8,), "float32"):
        R.func_attr({"Primitive": True})
        with R.dataflow():
            a = R.call_tir(Before.exp, (x,), out_ty=R.Tensor((8,), "float32"))
            z = R.call_tir(Before.exp, (a,), out_ty=R.Tensor((8,), "float32"))
            R.output(z)
        return z

    @R.function
    def main(x: R.Tensor((8,), "float32")) -> R.Tensor((8,), "float32"):
        with R.dataflow():
            z: R.Tensor((8,), "float32") = Before.fused(x)
            R.output(z)
        return z


@I.ir_module
class Expected:
    @T.prim_func(private=True, s_tir=True)
    def fused(x: T.Buffer((T.int64(8),), "float32"), z: T.Buffer((T.int64(8),), "float32")):
        T.func_attr({"tirx.noalias": True})
        a = T.sblock_alloc_buffer((T.int64(8),))
        for i0 in T.grid(8):
            with T.sblock("exp"):
                v0 = T.axis.remap("S", [i0])
                a[v0] = T.exp(x[v0])
        for i0 in T.grid(8):
            with T.sblock("exp1"):
                v0 = T.axis.remap("S", [i0])
                z[v0] = T.exp(a[v0])

    @R.function
    def main(x: R.Tensor((8,), "float32")) -> R.Tensor((8,), "float32"):
        with R.dataflow():
            z = R.call_tir(Expected.fused, (x,), out_ty=R.Tensor((8,), "float32"))
            R.output(z)
        return z
