# A kernel says nothing of devices: one serves all.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("cuda", 1), I.vdevice("cuda", 0, "texture")]})

    @T.prim_func(private=True)
    def twice(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("twice"):
                vi = T.axis.spatial(4, i)
                b[vi] = a[vi] * T.float32(2)

    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        cls = Before
        a = R.hint_on_device(x, R.cuda(0))
        b = R.hint_on_device(y, R.cpu(0))
        c = R.call_tir(cls.twice, (a,), out_ty=R.Tensor((4,), "float32"))
        d = R.call_tir(cls.twice, (b,), out_ty=R.Tensor((4,), "float32"))
        return (c, d)


@I.ir_module
class Expected:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 0, "global"), I.vdevice("cuda", 1, "global"), I.vdevice("cuda", 0, "texture")]})

    @T.prim_func(private=True)
    def twice(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):
        # with T.sblock("root"):
        for i in range(4):
            with T.sblock("twice"):
                vi = T.axis.spatial(4, i)
                T.reads(a[vi])
                T.writes(b[vi])
                b[vi] = a[vi] * T.float32(2.0)

    @R.function
    def main(x: R.Tensor((4,), dtype="float32", vdevice="cuda:0:global"), y: R.Tensor((4,), dtype="float32", vdevice="llvm:0:global")) -> R.Tuple(R.Tensor((4,), dtype="float32", vdevice="cuda:0:global"), R.Tensor((4,), dtype="float32", vdevice="llvm:0:global")):
        cls = Expected
        a: R.Tensor((4,), dtype="float32", vdevice="cuda:0:global") = x
        b: R.Tensor((4,), dtype="float32", vdevice="llvm:0:global") = y
        c = R.call_tir(cls.twice, (a,), out_ty=R.Tensor((4,), dtype="float32", vdevice="cuda:0:global"))
        d = R.call_tir(cls.twice, (b,), out_ty=R.Tensor((4,), dtype="float32", vdevice="llvm:0:global"))
        return (c, d)
