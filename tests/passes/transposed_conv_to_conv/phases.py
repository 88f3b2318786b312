# A stride of 2 gives four phases, which are channels of a convolution with two taps along each axis.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((1, 5, 6, 3), "float32"), w: R.Tensor((4, 3, 3, 2), "float32")):
        with R.dataflow():
            y = R.nn.conv2d_transpose(x, w, strides=2, padding=1, data_layout="NHWC", kernel_layout="HWIO")
            R.output(y)
        return y


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def join_phases(phases: T.Buffer((T.int64(1), T.int64(6), T.int64(6), T.int64(8)), "float32"), joined: T.Buffer((T.int64(1), T.int64(10), T.int64(11), T.int64(2)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, i2, i3 in T.grid(T.int64(1), T.int64(10), T.int64(11), T.int64(2)):
            with T.sblock("joined"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(phases[v0, (v1 + 1) // 2, (v2 + 1) // 2, ((v1 + 1) % 2 * 2 + (v2 + 1) % 2) * 2 + v3])
                T.writes(joined[v0, v1, v2, v3])
                joined[v0, v1, v2, v3] = phases[v0, (v1 + 1) // 2, (v2 + 1) // 2, ((v1 + 1) % 2 * 2 + (v2 + 1) % 2) * 2 + v3]

    @T.prim_func(private=True)
    def phases_of_weight(weight: T.Buffer((T.int64(4), T.int64(3), T.int64(3), T.int64(2)), "float32"), phases: T.Buffer((T.int64(2), T.int64(2), T.int64(3), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, i2, i3 in T.grid(T.int64(2), T.int64(2), T.int64(3), T.int64(8)):
            with T.sblock("phases"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(weight[v3 // 2 // 2 % 2 + 2 * (1 - v0), v3 // 2 % 2 + 2 * (1 - v1), v2, v3 % 2])
                T.writes(phases[v0, v1, v2, v3])
                phases[v0, v1, v2, v3] = T.if_then_else(v3 // 2 % 2 + 2 * (1 - v1) < 3, weight[v3 // 2 // 2 % 2 + 2 * (1 - v0), v3 // 2 % 2 + 2 * (1 - v1), v2, v3 % 2], T.float32(0.0))

    @R.function
    def main(x: R.Tensor((1, 5, 6, 3), dtype="float32"), w: R.Tensor((4, 3, 3, 2), dtype="float32")) -> R.Tensor((1, 10, 11, 2), dtype="float32"):
        cls = Expected
        with R.dataflow():
            lv = R.call_tir(cls.phases_of_weight, (w,), out_ty=R.Tensor((2, 2, 3, 8), dtype="float32"))
            lv_1: R.Tensor((1, 6, 6, 8), dtype="float32") = R.nn.conv2d(x, lv, padding=[1, 1, 1, 0], data_layout="NHWC", kernel_layout="HWIO")
            y = R.call_tir(cls.join_phases, (lv_1,), out_ty=R.Tensor((1, 10, 11, 2), dtype="float32"))
            R.output(y)
        return y
