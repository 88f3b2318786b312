# unchanged
# pass: fuse-ops(only_kernels=True)
# A kernel that computes places from floats stays apart from one that permutes what it reads.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def turn(a: T.Buffer((8, 4), "float32"), b: T.Buffer((4, 8), "float32")):
        T.func_attr({"op_pattern": 2, "tirx.noalias": True})
        for i0, i1 in T.grid(4, 8):
            with T.sblock("turn"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                b[v0, v1] = a[v1, v0]

    @T.prim_func(private=True)
    def stretch(b: T.Buffer((4, 8), "float32"), c: T.Buffer((6, 8), "float32")):
        T.func_attr({"op_pattern": 2, "tirx.noalias": True})
        for i0, i1 in T.grid(6, 8):
            with T.sblock("stretch"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                c[v0, v1] = b[T.Cast("int32", T.Cast("float32", v0) * T.float32(0.625)), v1]

    @R.function
    def main(a: R.Tensor((8, 4), "float32")) -> R.Tensor((6, 8), "float32"):
        cls = Before
        with R.dataflow():
            b = R.call_tir(cls.turn, (a,), out_ty=R.Tensor((4, 8), dtype="float32"))
            c = R.call_tir(cls.stretch, (b,), out_ty=R.Tensor((6, 8), dtype="float32"))
            R.output(c)
        return c
