# What was copied away and comes back is there already.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("cuda", 1), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor((2, 3), "float32", "llvm")):
        with R.dataflow():
            a = R.to_vdevice(x, "cuda")
            b = R.to_vdevice(a, "llvm")
            c = R.add(b, x)
            d = R.exp(a)
            e = (c, d)
            R.output(e)
        return e


@I.ir_module
class Expected:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 0, "global"), I.vdevice("cuda", 1, "global"), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global")) -> R.Tuple(R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global")):
        with R.dataflow():
            a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.to_vdevice(x, dst_vdevice="cuda:0:global")
            b: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = x
            c: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = R.add(b, x)
            d: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.exp(a)
            e: R.Tuple(R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global")) = (c, d)
            R.output(e)
        return e
