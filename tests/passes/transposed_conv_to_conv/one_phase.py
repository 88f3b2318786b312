# A stride of 1 has one phase: the kernel is turned around, its groups are those of the convolution.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", 9, 4), "float32"), w: R.Tensor((3, 4, 5), "float32")):
        with R.dataflow():
            y = R.nn.conv1d_transpose(x, w, padding=1, dilation=2, groups=2, data_layout="NWC", kernel_layout="WIO")
            R.output(y)
        return y


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def phases_of_weight(weight: T.Buffer((T.int64(3), T.int64(4), T.int64(5)), "float32"), phases: T.Buffer((T.int64(3), T.int64(2), T.int64(10)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, i2 in T.grid(T.int64(3), T.int64(2), T.int64(10)):
            with T.sblock("phases"):
                v0, v1, v2 = T.axis.remap("SSS", [i0, i1, i2])
                T.reads(weight[2 - v0, v2 // 5 * 2 + v1, v2 % 5])
                T.writes(phases[v0, v1, v2])
                phases[v0, v1, v2] = weight[2 - v0, v2 // 5 * 2 + v1, v2 % 5]

    @R.function
    def main(x: R.Tensor(("n", 9, 4), dtype="float32"), w: R.Tensor((3, 4, 5), dtype="float32")) -> R.Tensor(("n", 11, 10), dtype="float32"):
        n = T.int64()
        cls = Expected
        with R.dataflow():
            lv = R.call_tir(cls.phases_of_weight, (w,), out_ty=R.Tensor((3, 2, 10), dtype="float32"))
            y: R.Tensor((n, 11, 10), dtype="float32") = R.nn.conv1d(x, lv, padding=[3, 3], dilation=[2], groups=2, data_layout="NWC", kernel_layout="WIO")
            R.output(y)
        return y
