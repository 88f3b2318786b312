# Phases with one and two taps along each axis are convolutions of their own where one for all would compute more than a
# quarter beyond what is needed.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 5, "w", 3), "float32"), w: R.Tensor((3, 3, 3, 16), "float32")):
        with R.dataflow():
            y = R.nn.conv2d_transpose(x, w, strides=[2, 2], padding=[1, 1, 1, 1], output_padding=[1, 0], data_layout="NHWC", kernel_layout="HWIO")
            R.output(y)
        return y


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def join_phases(p_phase0: T.handle, p_phase1: T.handle, p_phase2: T.handle, p_phase3: T.handle, p_joined: T.handle):
        T.func_attr({"op_pattern": 4, "tirx.noalias": True})
        w = T.int64()
        phase0 = T.match_buffer(p_phase0, (T.int64(1), T.int64(5), w - 1, T.int64(16)))
        phase1 = T.match_buffer(p_phase1, (T.int64(1), T.int64(5), w, T.int64(16)))
        phase2 = T.match_buffer(p_phase2, (T.int64(1), T.int64(5), w - 1, T.int64(16)))
        phase3 = T.match_buffer(p_phase3, (T.int64(1), T.int64(5), w, T.int64(16)))
        joined = T.match_buffer(p_joined, (T.int64(1), T.int64(10), w * 2 - 1, T.int64(16)))
        # with T.sblock("root"):
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(10), w * 2 - 1, T.int64(16)):
            with T.sblock("joined"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(phase0[v0, (v1 + 1) // 2 - 1, (v2 + 1) // 2 - 1, v3], phase1[v0, (v1 + 1) // 2 - 1, (v2 + 1) // 2 - 0, v3], phase2[v0, (v1 + 1) // 2 - 0, (v2 + 1) // 2 - 1, v3], phase3[v0, (v1 + 1) // 2 - 0, (v2 + 1) // 2 - 0, v3])
                T.writes(joined[v0, v1, v2, v3])
                joined[v0, v1, v2, v3] = T.if_then_else((v1 + 1) % 2 == 0 and (v2 + 1) % 2 == 0, phase0[v0, (v1 + 1) // 2 - 1, (v2 + 1) // 2 - 1, v3], T.if_then_else((v1 + 1) % 2 == 0 and (v2 + 1) % 2 == 1, phase1[v0, (v1 + 1) // 2 - 1, (v2 + 1) // 2 - 0, v3], T.if_then_else((v1 + 1) % 2 == 1 and (v2 + 1) % 2 == 0, phase2[v0, (v1 + 1) // 2 - 0, (v2 + 1) // 2 - 1, v3], phase3[v0, (v1 + 1) // 2 - 0, (v2 + 1) // 2 - 0, v3])))

    @T.prim_func(private=True)
    def taps_of_phase(weight: T.Buffer((T.int64(3), T.int64(3), T.int64(3), T.int64(16)), "float32"), taps: T.Buffer((T.int64(2), T.int64(2), T.int64(3), T.int64(16)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, i2, i3 in T.grid(T.int64(2), T.int64(2), T.int64(3), T.int64(16)):
            with T.sblock("taps"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(weight[(1 - v0) * 2 + 0, (1 - v1) * 2 + 0, v2, v3])
                T.writes(taps[v0, v1, v2, v3])
                taps[v0, v1, v2, v3] = weight[(1 - v0) * 2 + 0, (1 - v1) * 2 + 0, v2, v3]

    @T.prim_func(private=True)
    def taps_of_phase1(weight: T.Buffer((T.int64(3), T.int64(3), T.int64(3), T.int64(16)), "float32"), taps: T.Buffer((T.int64(2), T.int64(1), T.int64(3), T.int64(16)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, i2, i3 in T.grid(T.int64(2), T.int64(1), T.int64(3), T.int64(16)):
            with T.sblock("taps"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(weight[(1 - v0) * 2 + 0, (0 - v1) * 2 + 1, v2, v3])
                T.writes(taps[v0, v1, v2, v3])
                taps[v0, v1, v2, v3] = weight[(1 - v0) * 2 + 0, (0 - v1) * 2 + 1, v2, v3]

    @T.prim_func(private=True)
    def taps_of_phase2(weight: T.Buffer((T.int64(3), T.int64(3), T.int64(3), T.int64(16)), "float32"), taps: T.Buffer((T.int64(1), T.int64(2), T.int64(3), T.int64(16)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(2), T.int64(3), T.int64(16)):
            with T.sblock("taps"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(weight[(0 - v0) * 2 + 1, (1 - v1) * 2 + 0, v2, v3])
                T.writes(taps[v0, v1, v2, v3])
                taps[v0, v1, v2, v3] = weight[(0 - v0) * 2 + 1, (1 - v1) * 2 + 0, v2, v3]

    @T.prim_func(private=True)
    def taps_of_phase3(weight: T.Buffer((T.int64(3), T.int64(3), T.int64(3), T.int64(16)), "float32"), taps: T.Buffer((T.int64(1), T.int64(1), T.int64(3), T.int64(16)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(1), T.int64(3), T.int64(16)):
            with T.sblock("taps"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(weight[(0 - v0) * 2 + 1, (0 - v1) * 2 + 1, v2, v3])
                T.writes(taps[v0, v1, v2, v3])
                taps[v0, v1, v2, v3] = weight[(0 - v0) * 2 + 1, (0 - v1) * 2 + 1, v2, v3]

    @R.function
    def main(x: R.Tensor((1, 5, "w", 3), dtype="float32"), w_1: R.Tensor((3, 3, 3, 16), dtype="float32")) -> R.Tensor((1, 10, "w * 2 - 1", 16), dtype="float32"):
        w = T.int64()
        cls = Expected
        with R.dataflow():
            lv = R.call_tir(cls.taps_of_phase, (w_1,), out_ty=R.Tensor((2, 2, 3, 16), dtype="float32"))
            lv_1: R.Tensor((1, 5, w - 1, 16), dtype="float32") = R.nn.conv2d(x, lv, padding=[0, 0, 1, 0], data_layout="NHWC", kernel_layout="HWIO")
            lv_2 = R.call_tir(cls.taps_of_phase1, (w_1,), out_ty=R.Tensor((2, 1, 3, 16), dtype="float32"))
            lv_3: R.Tensor((1, 5, w, 16), dtype="float32") = R.nn.conv2d(x, lv_2, padding=[0, 0, 1, 0], data_layout="NHWC", kernel_layout="HWIO")
            lv_4 = R.call_tir(cls.taps_of_phase2, (w_1,), out_ty=R.Tensor((1, 2, 3, 16), dtype="float32"))
            lv_5: R.Tensor((1, 5, w - 1, 16), dtype="float32") = R.nn.conv2d(x, lv_4, data_layout="NHWC", kernel_layout="HWIO")
            lv_6 = R.call_tir(cls.taps_of_phase3, (w_1,), out_ty=R.Tensor((1, 1, 3, 16), dtype="float32"))
            lv_7: R.Tensor((1, 5, w, 16), dtype="float32") = R.nn.conv2d(x, lv_6, data_layout="NHWC", kernel_layout="HWIO")
            y = R.call_tir(cls.join_phases, (lv_1, lv_3, lv_5, lv_7), out_ty=R.Tensor((1, 10, w * 2 - 1, 16), dtype="float32"))
            R.output(y)
        return y
