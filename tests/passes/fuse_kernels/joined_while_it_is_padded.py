# Tensors are joined while the convolution pads them.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def concat(A0: T.Buffer((T.int64(1), T.int64(8), T.int64(8), T.int64(3)), "float32"), A1: T.Buffer((T.int64(1), T.int64(8), T.int64(8), T.int64(5)), "float32"), T_concat: T.Buffer((T.int64(1), T.int64(8), T.int64(8), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(8), T.int64(8), T.int64(8)):
            with T.sblock("T_concat"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(A0[v0, v1, v2, v3], A1[v0, v1, v2, v3 - 3])
                T.writes(T_concat[v0, v1, v2, v3])
                T_concat[v0, v1, v2, v3] = T.if_then_else(v3 < 3, A0[v0, v1, v2, v3], A1[v0, v1, v2, v3 - 3])

    @T.prim_func(private=True)
    def nn_conv2d(data: T.Buffer((T.int64(1), T.int64(8), T.int64(8), T.int64(8)), "float32"), weight: T.Buffer((T.int64(3), T.int64(3), T.int64(8), T.int64(2)), "float32"), conv: T.Buffer((T.int64(1), T.int64(8), T.int64(8), T.int64(2)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        pad_temp = T.sblock_alloc_buffer((T.int64(1), T.int64(10), T.int64(10), T.int64(8)))
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(10), T.int64(10), T.int64(8)):
            with T.sblock("pad_temp"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(data[v0, v1 - 1, v2 - 1, v3])
                T.writes(pad_temp[v0, v1, v2, v3])
                pad_temp[v0, v1, v2, v3] = T.if_then_else(v1 >= 1 and v1 - 1 < 8 and (v2 >= 1 and v2 - 1 < 8), data[v0, v1 - 1, v2 - 1, v3], T.float32(0.0))
        for i0, i1, i2, i3, k4, k5, k6 in T.grid(T.int64(1), T.int64(8), T.int64(8), T.int64(2), T.int64(8), T.int64(3), T.int64(3)):
            with T.sblock("conv"):
                v0, v1, v2, v3, v4, v5, v6 = T.axis.remap("SSSSRRR", [i0, i1, i2, i3, k4, k5, k6])
                T.reads(pad_temp[v0, v1 + v5, v2 + v6, v4], weight[v5, v6, v4, v3])
                T.writes(conv[v0, v1, v2, v3])
                with T.init():
                    conv[v0, v1, v2, v3] = T.float32(0.0)
                conv[v0, v1, v2, v3] = conv[v0, v1, v2, v3] + pad_temp[v0, v1 + v5, v2 + v6, v4] * weight[v5, v6, v4, v3]

    @R.function
    def main(a: R.Tensor((1, 8, 8, 3), dtype="float32"), b: R.Tensor((1, 8, 8, 5), dtype="float32"), w: R.Tensor((3, 3, 8, 2), dtype="float32")) -> R.Tensor((1, 8, 8, 2), dtype="float32"):
        cls = Before
        with R.dataflow():
            c = R.call_tir(cls.concat, (a, b), out_ty=R.Tensor((1, 8, 8, 8), dtype="float32"))
            y = R.call_tir(cls.nn_conv2d, (c, w), out_ty=R.Tensor((1, 8, 8, 2), dtype="float32"))
            R.output(y)
        return y


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def concat(A0: T.Buffer((T.int64(1), T.int64(8), T.int64(8), T.int64(3)), "float32"), A1: T.Buffer((T.int64(1), T.int64(8), T.int64(8), T.int64(5)), "float32"), T_concat: T.Buffer((T.int64(1), T.int64(8), T.int64(8), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(8), T.int64(8), T.int64(8)):
            with T.sblock("T_concat"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(A0[v0, v1, v2, v3], A1[v0, v1, v2, v3 - 3])
                T.writes(T_concat[v0, v1, v2, v3])
                T_concat[v0, v1, v2, v3] = T.if_then_else(v3 < 3, A0[v0, v1, v2, v3], A1[v0, v1, v2, v3 - 3])

    @T.prim_func(private=True)
    def fused_concat_nn_conv2d(A0: T.Buffer((T.int64(1), T.int64(8), T.int64(8), T.int64(3)), "float32"), A1: T.Buffer((T.int64(1), T.int64(8), T.int64(8), T.int64(5)), "float32"), weight: T.Buffer((T.int64(3), T.int64(3), T.int64(8), T.int64(2)), "float32"), conv: T.Buffer((T.int64(1), T.int64(8), T.int64(8), T.int64(2)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_concat = T.sblock_alloc_buffer((T.int64(1), T.int64(8), T.int64(8), T.int64(8)))
        pad_temp = T.sblock_alloc_buffer((T.int64(1), T.int64(10), T.int64(10), T.int64(8)))
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(8), T.int64(8), T.int64(8)):
            with T.sblock("T_concat"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(A0[v0, v1, v2, v3], A1[v0, v1, v2, v3 - 3])
                T.writes(T_concat[v0, v1, v2, v3])
                T_concat[v0, v1, v2, v3] = T.if_then_else(v3 < 3, A0[v0, v1, v2, v3], A1[v0, v1, v2, v3 - 3])
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(10), T.int64(10), T.int64(8)):
            with T.sblock("pad_temp"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(T_concat[v0, v1 - 1, v2 - 1, v3])
                T.writes(pad_temp[v0, v1, v2, v3])
                pad_temp[v0, v1, v2, v3] = T.if_then_else(v1 >= 1 and v1 - 1 < 8 and (v2 >= 1 and v2 - 1 < 8), T_concat[v0, v1 - 1, v2 - 1, v3], T.float32(0.0))
        for i0, i1, i2, i3, k4, k5, k6 in T.grid(T.int64(1), T.int64(8), T.int64(8), T.int64(2), T.int64(8), T.int64(3), T.int64(3)):
            with T.sblock("conv"):
                v0, v1, v2, v3, v4, v5, v6 = T.axis.remap("SSSSRRR", [i0, i1, i2, i3, k4, k5, k6])
                T.reads(pad_temp[v0, v1 + v5, v2 + v6, v4], weight[v5, v6, v4, v3])
                T.writes(conv[v0, v1, v2, v3])
                with T.init():
                    conv[v0, v1, v2, v3] = T.float32(0.0)
                conv[v0, v1, v2, v3] = conv[v0, v1, v2, v3] + pad_temp[v0, v1 + v5, v2 + v6, v4] * weight[v5, v6, v4, v3]

    @T.prim_func(private=True)
    def nn_conv2d(data: T.Buffer((T.int64(1), T.int64(8), T.int64(8), T.int64(8)), "float32"), weight: T.Buffer((T.int64(3), T.int64(3), T.int64(8), T.int64(2)), "float32"), conv: T.Buffer((T.int64(1), T.int64(8), T.int64(8), T.int64(2)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        pad_temp = T.sblock_alloc_buffer((T.int64(1), T.int64(10), T.int64(10), T.int64(8)))
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(10), T.int64(10), T.int64(8)):
            with T.sblock("pad_temp"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(data[v0, v1 - 1, v2 - 1, v3])
                T.writes(pad_temp[v0, v1, v2, v3])
                pad_temp[v0, v1, v2, v3] = T.if_then_else(v1 >= 1 and v1 - 1 < 8 and (v2 >= 1 and v2 - 1 < 8), data[v0, v1 - 1, v2 - 1, v3], T.float32(0.0))
        for i0, i1, i2, i3, k4, k5, k6 in T.grid(T.int64(1), T.int64(8), T.int64(8), T.int64(2), T.int64(8), T.int64(3), T.int64(3)):
            with T.sblock("conv"):
                v0, v1, v2, v3, v4, v5, v6 = T.axis.remap("SSSSRRR", [i0, i1, i2, i3, k4, k5, k6])
                T.reads(pad_temp[v0, v1 + v5, v2 + v6, v4], weight[v5, v6, v4, v3])
                T.writes(conv[v0, v1, v2, v3])
                with T.init():
                    conv[v0, v1, v2, v3] = T.float32(0.0)
                conv[v0, v1, v2, v3] = conv[v0, v1, v2, v3] + pad_temp[v0, v1 + v5, v2 + v6, v4] * weight[v5, v6, v4, v3]

    @R.function
    def main(a: R.Tensor((1, 8, 8, 3), dtype="float32"), b: R.Tensor((1, 8, 8, 5), dtype="float32"), w: R.Tensor((3, 3, 8, 2), dtype="float32")) -> R.Tensor((1, 8, 8, 2), dtype="float32"):
        cls = Expected
        with R.dataflow():
            y = R.call_tir(cls.fused_concat_nn_conv2d, (a, b, w), out_ty=R.Tensor((1, 8, 8, 2), dtype="float32"))
            R.output(y)
        return y
