# Two copies stay two where an instruction of the virtual machine writes into one of them.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("cuda", 1), I.vdevice("cuda", 0, "texture")]})

    @T.prim_func(private=True)
    def add_one(a: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("add_one"):
                vi = T.axis.spatial(4, i)
                a[vi] = a[vi] + T.float32(1)

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32", "llvm")):
        cls = Before
        a = R.to_vdevice(x, "cuda")
        b = R.to_vdevice(x, "cuda")
        c = R.vm.call_tir_dyn(cls.add_one, (a,))
        d = R.add(a, b)
        return d


@I.ir_module
class Expected:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 0, "global"), I.vdevice("cuda", 1, "global"), I.vdevice("cuda", 0, "texture")]})

    @T.prim_func(private=True)
    def add_one(a: T.Buffer((4,), "float32")):
        # with T.sblock("root"):
        for i in range(4):
            with T.sblock("add_one"):
                vi = T.axis.spatial(4, i)
                T.reads(a[vi])
                T.writes(a[vi])
                a[vi] = a[vi] + T.float32(1.0)

    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32", vdevice="llvm:0:global")) -> R.Tensor((4,), dtype="float32", vdevice="cuda:0:global"):
        cls = Expected
        a: R.Tensor((4,), dtype="float32", vdevice="cuda:0:global") = R.to_vdevice(x, dst_vdevice="cuda:0:global")
        b: R.Tensor((4,), dtype="float32", vdevice="cuda:0:global") = R.to_vdevice(x, dst_vdevice="cuda:0:global")
        c: R.Tuple = R.vm.call_tir_dyn(cls.add_one, (a,))
        d: R.Tensor((4,), dtype="float32", vdevice="cuda:0:global") = R.add(a, b)
        return d
