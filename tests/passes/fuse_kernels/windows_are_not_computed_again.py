# A window reads its input many times, so what makes the input stays a kernel.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def concat(A0: T.Buffer((T.int64(1), T.int64(4), T.int64(4), T.int64(3)), "float32"), A1: T.Buffer((T.int64(1), T.int64(4), T.int64(4), T.int64(5)), "float32"), T_concat: T.Buffer((T.int64(1), T.int64(4), T.int64(4), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(4), T.int64(4), T.int64(8)):
            with T.sblock("T_concat"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(A0[v0, v1, v2, v3], A1[v0, v1, v2, v3 - 3])
                T.writes(T_concat[v0, v1, v2, v3])
                T_concat[v0, v1, v2, v3] = T.if_then_else(v3 < 3, A0[v0, v1, v2, v3], A1[v0, v1, v2, v3 - 3])

    @T.prim_func(private=True)
    def exp(A: T.Buffer((T.int64(1), T.int64(4), T.int64(4), T.int64(8)), "float32"), T_1: T.Buffer((T.int64(1), T.int64(4), T.int64(4), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(4), T.int64(4), T.int64(8)):
            with T.sblock("compute"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(A[v0, v1, v2, v3])
                T.writes(T_1[v0, v1, v2, v3])
                T_1[v0, v1, v2, v3] = T.exp(A[v0, v1, v2, v3])

    @T.prim_func(private=True)
    def nn_max_pool2d(data: T.Buffer((T.int64(1), T.int64(4), T.int64(4), T.int64(8)), "float32"), pool_max: T.Buffer((T.int64(1), T.int64(2), T.int64(2), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, i2, i3, k4, k5 in T.grid(T.int64(1), T.int64(2), T.int64(2), T.int64(8), T.int64(3), T.int64(3)):
            with T.sblock("pool_max"):
                v0, v1, v2, v3, v4, v5 = T.axis.remap("SSSSRR", [i0, i1, i2, i3, k4, k5])
                T.reads(data[v0, v1 * 1 + v4 * 1, v2 * 1 + v5 * 1, v3])
                T.writes(pool_max[v0, v1, v2, v3])
                with T.init():
                    pool_max[v0, v1, v2, v3] = T.float32("-inf")
                pool_max[v0, v1, v2, v3] = T.max(pool_max[v0, v1, v2, v3], data[v0, v1 * 1 + v4 * 1, v2 * 1 + v5 * 1, v3])

    @R.function
    def main(a: R.Tensor((1, 4, 4, 3), dtype="float32"), b: R.Tensor((1, 4, 4, 5), dtype="float32")) -> R.Tensor((1, 2, 2, 8), dtype="float32"):
        cls = Before
        with R.dataflow():
            lv = R.call_tir(cls.concat, (a, b), out_ty=R.Tensor((1, 4, 4, 8), dtype="float32"))
            c = R.call_tir(cls.exp, (lv,), out_ty=R.Tensor((1, 4, 4, 8), dtype="float32"))
            y = R.call_tir(cls.nn_max_pool2d, (c,), out_ty=R.Tensor((1, 2, 2, 8), dtype="float32"))
            R.output(y)
        return y


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def concat(A0: T.Buffer((T.int64(1), T.int64(4), T.int64(4), T.int64(3)), "float32"), A1: T.Buffer((T.int64(1), T.int64(4), T.int64(4), T.int64(5)), "float32"), T_concat: T.Buffer((T.int64(1), T.int64(4), T.int64(4), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(4), T.int64(4), T.int64(8)):
            with T.sblock("T_concat"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(A0[v0, v1, v2, v3], A1[v0, v1, v2, v3 - 3])
                T.writes(T_concat[v0, v1, v2, v3])
                T_concat[v0, v1, v2, v3] = T.if_then_else(v3 < 3, A0[v0, v1, v2, v3], A1[v0, v1, v2, v3 - 3])

    @T.prim_func(private=True)
    def exp(A: T.Buffer((T.int64(1), T.int64(4), T.int64(4), T.int64(8)), "float32"), T_1: T.Buffer((T.int64(1), T.int64(4), T.int64(4), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(4), T.int64(4), T.int64(8)):
            with T.sblock("compute"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(A[v0, v1, v2, v3])
                T.writes(T_1[v0, v1, v2, v3])
                T_1[v0, v1, v2, v3] = T.exp(A[v0, v1, v2, v3])

    @T.prim_func(private=True)
    def fused_concat_exp(A0: T.Buffer((T.int64(1), T.int64(4), T.int64(4), T.int64(3)), "float32"), A1: T.Buffer((T.int64(1), T.int64(4), T.int64(4), T.int64(5)), "float32"), T_1: T.Buffer((T.int64(1), T.int64(4), T.int64(4), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_concat = T.sblock_alloc_buffer((T.int64(1), T.int64(4), T.int64(4), T.int64(8)))
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(4), T.int64(4), T.int64(8)):
            with T.sblock("T_concat"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(A0[v0, v1, v2, v3], A1[v0, v1, v2, v3 - 3])
                T.writes(T_concat[v0, v1, v2, v3])
                T_concat[v0, v1, v2, v3] = T.if_then_else(v3 < 3, A0[v0, v1, v2, v3], A1[v0, v1, v2, v3 - 3])
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(4), T.int64(4), T.int64(8)):
            with T.sblock("compute"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(T_concat[v0, v1, v2, v3])
                T.writes(T_1[v0, v1, v2, v3])
                T_1[v0, v1, v2, v3] = T.exp(T_concat[v0, v1, v2, v3])

    @T.prim_func(private=True)
    def nn_max_pool2d(data: T.Buffer((T.int64(1), T.int64(4), T.int64(4), T.int64(8)), "float32"), pool_max: T.Buffer((T.int64(1), T.int64(2), T.int64(2), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, i2, i3, k4, k5 in T.grid(T.int64(1), T.int64(2), T.int64(2), T.int64(8), T.int64(3), T.int64(3)):
            with T.sblock("pool_max"):
                v0, v1, v2, v3, v4, v5 = T.axis.remap("SSSSRR", [i0, i1, i2, i3, k4, k5])
                T.reads(data[v0, v1 * 1 + v4 * 1, v2 * 1 + v5 * 1, v3])
                T.writes(pool_max[v0, v1, v2, v3])
                with T.init():
                    pool_max[v0, v1, v2, v3] = T.float32("-inf")
                pool_max[v0, v1, v2, v3] = T.max(pool_max[v0, v1, v2, v3], data[v0, v1 * 1 + v4 * 1, v2 * 1 + v5 * 1, v3])

    @R.function
    def main(a: R.Tensor((1, 4, 4, 3), dtype="float32"), b: R.Tensor((1, 4, 4, 5), dtype="float32")) -> R.Tensor((1, 2, 2, 8), dtype="float32"):
        cls = Expected
        with R.dataflow():
            c = R.call_tir(cls.fused_concat_exp, (a, b), out_ty=R.Tensor((1, 4, 4, 8), dtype="float32"))
            y = R.call_tir(cls.nn_max_pool2d, (c,), out_ty=R.Tensor((1, 2, 2, 8), dtype="float32"))
            R.output(y)
        return y
