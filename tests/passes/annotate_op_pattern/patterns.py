# Each kernel says what it is: elementwise, broadcast, injective, a reduction, a window, a product, a reduction that
# an elementwise block follows, and what stores at two places.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def bias(a: T.Buffer((1, 8), "float32"), b: T.Buffer((8,), "float32"), c: T.Buffer((1, 8), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i0, i1 in T.grid(1, 8):
            with T.sblock("bias"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                c[v0, v1] = a[v0, v1] + b[v1]

    @T.prim_func(private=True)
    def spread(a: T.Buffer((4,), "float32"), c: T.Buffer((4, 8), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i0, i1 in T.grid(4, 8):
            with T.sblock("spread"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                c[v0, v1] = a[v0]

    @T.prim_func(private=True)
    def transpose(a: T.Buffer((4, 8), "float32"), c: T.Buffer((8, 4), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i0, i1 in T.grid(8, 4):
            with T.sblock("transpose"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                c[v0, v1] = a[v1, v0]

    @T.prim_func(private=True)
    def total(a: T.Buffer((4, 8), "float32"), c: T.Buffer((4,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i0, i1 in T.grid(4, 8):
            with T.sblock("total"):
                v0, v1 = T.axis.remap("SR", [i0, i1])
                with T.init():
                    c[v0] = T.float32(0)
                c[v0] = c[v0] + a[v0, v1]

    @T.prim_func(private=True)
    def window(a: T.Buffer((9,), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i0, i1 in T.grid(8, 2):
            with T.sblock("window"):
                v0, v1 = T.axis.remap("SR", [i0, i1])
                with T.init():
                    c[v0] = T.float32(0)
                c[v0] = T.max(c[v0], a[v0 + v1])

    @T.prim_func(private=True)
    def product(a: T.Buffer((4, 8), "float16"), b: T.Buffer((8, 2), "float16"), c: T.Buffer((4, 2), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i0, i1, i2 in T.grid(4, 2, 8):
            with T.sblock("product"):
                v0, v1, v2 = T.axis.remap("SSR", [i0, i1, i2])
                with T.init():
                    c[v0, v1] = T.float32(0)
                c[v0, v1] = c[v0, v1] + T.Cast("float32", a[v0, v2] * b[v2, v1])

    @T.prim_func(private=True)
    def centred(a: T.Buffer((4, 8), "float32"), c: T.Buffer((4, 8), "float32")):
        T.func_attr({"tirx.noalias": True})
        s = T.sblock_alloc_buffer((4,))
        for i0, i1 in T.grid(4, 8):
            with T.sblock("sum"):
                v0, v1 = T.axis.remap("SR", [i0, i1])
                with T.init():
                    s[v0] = T.float32(0)
                s[v0] = s[v0] + a[v0, v1]
        for i0, i1 in T.grid(4, 8):
            with T.sblock("minus"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                c[v0, v1] = a[v0, v1] - s[v0]

    @T.prim_func(private=True)
    def strided(a: T.Buffer((4,), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i0 in T.grid(4):
            with T.sblock("strided"):
                v0 = T.axis.remap("S", [i0])
                c[v0 * 2] = a[v0]
                c[v0 * 2 + 1] = a[v0]


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def bias(a: T.Buffer((1, 8), "float32"), b: T.Buffer((8,), "float32"), c: T.Buffer((1, 8), "float32")):
        T.func_attr({"op_pattern": 0, "tirx.noalias": True})
        for i0, i1 in T.grid(1, 8):
            with T.sblock("bias"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                c[v0, v1] = a[v0, v1] + b[v1]

    @T.prim_func(private=True)
    def spread(a: T.Buffer((4,), "float32"), c: T.Buffer((4, 8), "float32")):
        T.func_attr({"op_pattern": 1, "tirx.noalias": True})
        for i0, i1 in T.grid(4, 8):
            with T.sblock("spread"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                c[v0, v1] = a[v0]

    @T.prim_func(private=True)
    def transpose(a: T.Buffer((4, 8), "float32"), c: T.Buffer((8, 4), "float32")):
        T.func_attr({"op_pattern": 2, "tirx.noalias": True})
        for i0, i1 in T.grid(8, 4):
            with T.sblock("transpose"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                c[v0, v1] = a[v1, v0]

    @T.prim_func(private=True)
    def total(a: T.Buffer((4, 8), "float32"), c: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 3, "tirx.noalias": True})
        for i0, i1 in T.grid(4, 8):
            with T.sblock("total"):
                v0, v1 = T.axis.remap("SR", [i0, i1])
                with T.init():
                    c[v0] = T.float32(0)
                c[v0] = c[v0] + a[v0, v1]

    @T.prim_func(private=True)
    def window(a: T.Buffer((9,), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 4, "tirx.noalias": True})
        for i0, i1 in T.grid(8, 2):
            with T.sblock("window"):
                v0, v1 = T.axis.remap("SR", [i0, i1])
                with T.init():
                    c[v0] = T.float32(0)
                c[v0] = T.max(c[v0], a[v0 + v1])

    @T.prim_func(private=True)
    def product(a: T.Buffer((4, 8), "float16"), b: T.Buffer((8, 2), "float16"), c: T.Buffer((4, 2), "float32")):
        T.func_attr({"op_pattern": 4, "tirx.noalias": True})
        for i0, i1, i2 in T.grid(4, 2, 8):
            with T.sblock("product"):
                v0, v1, v2 = T.axis.remap("SSR", [i0, i1, i2])
                with T.init():
                    c[v0, v1] = T.float32(0)
                c[v0, v1] = c[v0, v1] + T.Cast("float32", a[v0, v2] * b[v2, v1])

    @T.prim_func(private=True)
    def centred(a: T.Buffer((4, 8), "float32"), c: T.Buffer((4, 8), "float32")):
        T.func_attr({"op_pattern": 4, "tirx.noalias": True})
        s = T.sblock_alloc_buffer((4,))
        for i0, i1 in T.grid(4, 8):
            with T.sblock("sum"):
                v0, v1 = T.axis.remap("SR", [i0, i1])
                with T.init():
                    s[v0] = T.float32(0)
                s[v0] = s[v0] + a[v0, v1]
        for i0, i1 in T.grid(4, 8):
            with T.sblock("minus"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                c[v0, v1] = a[v0, v1] - s[v0]

    @T.prim_func(private=True)
    def strided(a: T.Buffer((4,), "float32"), c: T.Buffer((8,), "float32")):
        T.func_attr({"op_pattern": 8, "tirx.noalias": True})
        for i0 in T.grid(4):
            with T.sblock("strided"):
                v0 = T.axis.remap("S", [i0])
                c[v0 * 2] = a[v0]
                c[v0 * 2 + 1] = a[v0]
