# Constants become arguments; of a tuple that is not taken as a whole, the fields do.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def shift(a: T.Buffer((8,), "float32"), b: T.Buffer((), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 0, "tirx.noalias": True})
        for i0 in T.grid(8):
            with T.sblock("shift"):
                v0 = T.axis.remap("S", [i0])
                c[v0] = a[v0] + b[()]

    @T.prim_func(private=True)
    def add(a: T.Buffer((8,), "float32"), b: T.Buffer((8,), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 0, "tirx.noalias": True})
        for i0 in T.grid(8):
            with T.sblock("add"):
                v0 = T.axis.remap("S", [i0])
                c[v0] = a[v0] + b[v0]

    @R.function
    def main(t: R.Tuple(R.Tensor((8,), "float32"), R.Tensor((8,), "float32"))) -> R.Tensor((8,), "float32"):
        with R.dataflow():
            x = t[1]
            y = R.call_tir(Before.shift, (x, R.const(1, "float32")), out_ty=R.Tensor((8,), "float32"))
            z = R.call_tir(Before.add, (y, y), out_ty=R.Tensor((8,), "float32"))
            R.output(z)
        return z


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def shift(a: T.Buffer((8,), "float32"), b: T.Buffer((), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 0, "tirx.noalias": True})
        for i0 in T.grid(8):
            with T.sblock("shift"):
                v0 = T.axis.remap("S", [i0])
                c[v0] = a[v0] + b[()]

    @T.prim_func(private=True)
    def add(a: T.Buffer((8,), "float32"), b: T.Buffer((8,), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 0, "tirx.noalias": True})
        for i0 in T.grid(8):
            with T.sblock("add"):
                v0 = T.axis.remap("S", [i0])
                c[v0] = a[v0] + b[v0]

    @R.function(private=True)
    def fused_shift_add(x: R.Tensor((8,), "float32"), k: R.Tensor((), "float32")) -> R.Tensor((8,), "float32"):
        R.func_attr({"Primitive": True})
        with R.dataflow():
            y = R.call_tir(Expected.shift, (x, k), out_ty=R.Tensor((8,), "float32"))
            z = R.call_tir(Expected.add, (y, y), out_ty=R.Tensor((8,), "float32"))
            R.output(z)
        return z

    @R.function
    def main(t: R.Tuple(R.Tensor((8,), "float32"), R.Tensor((8,), "float32"))) -> R.Tensor((8,), "float32"):
        with R.dataflow():
            x = t[1]
            z: R.Tensor((8,), "float32") = Expected.fused_shift_add(x, R.const(1, "float32"))
            R.output(z)
        return z
