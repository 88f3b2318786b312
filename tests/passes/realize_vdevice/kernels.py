# A kernel's tensors lie together.
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
    def main(x: R.Tensor((4,), "float32")):
        cls = Before
        with R.dataflow():
            y = R.call_tir(cls.twice, (x,), out_ty=R.Tensor((4,), "float32"))
            z = R.hint_on_device(y, R.cuda(0))
            R.output(z)
        return z


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
    def main(x: R.Tensor((4,), dtype="float32", vdevice="cuda:0:global")) -> R.Tensor((4,), dtype="float32", vdevice="cuda:0:global"):
        cls = Expected
        with R.dataflow():
            y = R.call_tir(cls.twice, (x,), out_ty=R.Tensor((4,), dtype="float32", vdevice="cuda:0:global"))
            z: R.Tensor((4,), dtype="float32", vdevice="cuda:0:global") = y
            R.output(z)
        return z
