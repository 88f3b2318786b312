# What widens elements joins its consumers before its operand, so that bytes lie between the kernels of two products;
# where its consumers are in no other kernel, it stays with what it widens.
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
    def narrow(a: T.Buffer((8,), "float32"), c: T.Buffer((8,), "int8")):
        T.func_attr({"op_pattern": 0, "tirx.noalias": True})
        for i0 in T.grid(8):
            with T.sblock("narrow"):
                v0 = T.axis.remap("S", [i0])
                c[v0] = T.Cast("int8", a[v0])

    @T.prim_func(private=True)
    def widen(a: T.Buffer((8,), "int8"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 0, "tirx.noalias": True})
        for i0 in T.grid(8):
            with T.sblock("widen"):
                v0 = T.axis.remap("S", [i0])
                c[v0] = T.Cast("float32", a[v0])

    @T.prim_func(private=True)
    def add(a: T.Buffer((8,), "float32"), b: T.Buffer((8,), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 0, "tirx.noalias": True})
        for i0 in T.grid(8):
            with T.sblock("add"):
                v0 = T.axis.remap("S", [i0])
                c[v0] = a[v0] + b[v0]

    @R.function
    def main(x: R.Tensor((8,), "float32"), w: R.Tensor((8, 8), "float32")) -> R.Tensor((8,), "float32"):
        with R.dataflow():
            y = R.call_tir(Before.product, (x, w), out_ty=R.Tensor((8,), "float32"))
            n = R.call_tir(Before.narrow, (y,), out_ty=R.Tensor((8,), "int8"))
            m = R.call_tir(Before.widen, (n,), out_ty=R.Tensor((8,), "float32"))
            z = R.call_tir(Before.product, (x, w), out_ty=R.Tensor((8,), "float32"))
            s = R.call_tir(Before.add, (m, z), out_ty=R.Tensor((8,), "float32"))
            R.output(s)
        return s

    @R.function
    def alone(x: R.Tensor((8,), "float32"), w: R.Tensor((8, 8), "float32")) -> R.Tensor((8,), "float32"):
        with R.dataflow():
            y = R.call_tir(Before.product, (x, w), out_ty=R.Tensor((8,), "float32"))
            n = R.call_tir(Before.narrow, (y,), out_ty=R.Tensor((8,), "int8"))
            m = R.call_tir(Before.widen, (n,), out_ty=R.Tensor((8,), "float32"))
            R.output(m)
        return m


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def add(a: T.Buffer((8,), "float32"), b: T.Buffer((8,), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 0, "tirx.noalias": True})
        # with T.sblock("root"):
        for i0 in range(8):
            with T.sblock("add"):
                v0 = T.axis.spatial(8, i0)
                T.reads(a[v0], b[v0])
                T.writes(c[v0])
                c[v0] = a[v0] + b[v0]

    @T.prim_func(private=True)
    def narrow(a: T.Buffer((8,), "float32"), c: T.Buffer((8,), "int8")):
        T.func_attr({"op_pattern": 0, "tirx.noalias": True})
        # with T.sblock("root"):
        for i0 in range(8):
            with T.sblock("narrow"):
                v0 = T.axis.spatial(8, i0)
                T.reads(a[v0])
                T.writes(c[v0])
                c[v0] = T.Cast("int8", a[v0])

    @T.prim_func(private=True)
    def product(a: T.Buffer((8,), "float32"), b: T.Buffer((8, 8), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 4, "tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(8, 8):
            with T.sblock("product"):
                v0, v1 = T.axis.remap("SR", [i0, i1])
                T.reads(a[v1], b[v1, v0])
                T.writes(c[v0])
                with T.init():
                    c[v0] = T.float32(0.0)
                c[v0] = c[v0] + a[v1] * b[v1, v0]

    @T.prim_func(private=True)
    def widen(a: T.Buffer((8,), "int8"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 0, "tirx.noalias": True})
        # with T.sblock("root"):
        for i0 in range(8):
            with T.sblock("widen"):
                v0 = T.axis.spatial(8, i0)
                T.reads(a[v0])
                T.writes(c[v0])
                c[v0] = T.Cast("float32", a[v0])

    @R.function
    def alone(x: R.Tensor((8,), dtype="float32"), w: R.Tensor((8, 8), dtype="float32")) -> R.Tensor((8,), dtype="float32"):
        cls = Expected
        with R.dataflow():
            m: R.Tensor((8,), dtype="float32") = cls.fused_product_narrow_widen(x, w)
            R.output(m)
        return m

    @R.function(private=True)
    def fused_product_narrow(x: R.Tensor((8,), dtype="float32"), w: R.Tensor((8, 8), dtype="float32")) -> R.Tensor((8,), dtype="int8"):
        R.func_attr({"Primitive": True})
        cls = Expected
        with R.dataflow():
            y = R.call_tir(cls.product, (x, w), out_ty=R.Tensor((8,), dtype="float32"))
            n = R.call_tir(cls.narrow, (y,), out_ty=R.Tensor((8,), dtype="int8"))
            R.output(n)
        return n

    @R.function(private=True)
    def fused_product_narrow_widen(x: R.Tensor((8,), dtype="float32"), w: R.Tensor((8, 8), dtype="float32")) -> R.Tensor((8,), dtype="float32"):
        R.func_attr({"Primitive": True})
        cls = Expected
        with R.dataflow():
            y = R.call_tir(cls.product, (x, w), out_ty=R.Tensor((8,), dtype="float32"))
            n = R.call_tir(cls.narrow, (y,), out_ty=R.Tensor((8,), dtype="int8"))
            m = R.call_tir(cls.widen, (n,), out_ty=R.Tensor((8,), dtype="float32"))
            R.output(m)
        return m

    @R.function(private=True)
    def fused_widen_product_add(n: R.Tensor((8,), dtype="int8"), x: R.Tensor((8,), dtype="float32"), w: R.Tensor((8, 8), dtype="float32")) -> R.Tensor((8,), dtype="float32"):
        R.func_attr({"Primitive": True})
        cls = Expected
        with R.dataflow():
            m = R.call_tir(cls.widen, (n,), out_ty=R.Tensor((8,), dtype="float32"))
            z = R.call_tir(cls.product, (x, w), out_ty=R.Tensor((8,), dtype="float32"))
            s = R.call_tir(cls.add, (m, z), out_ty=R.Tensor((8,), dtype="float32"))
            R.output(s)
        return s

    @R.function
    def main(x: R.Tensor((8,), dtype="float32"), w: R.Tensor((8, 8), dtype="float32")) -> R.Tensor((8,), dtype="float32"):
        cls = Expected
        with R.dataflow():
            n: R.Tensor((8,), dtype="int8") = cls.fused_product_narrow(x, w)
            s: R.Tensor((8,), dtype="float32") = cls.fused_widen_product_add(n, x, w)
            R.output(s)
        return s

