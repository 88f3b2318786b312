# Data that lies elsewhere is copied, once for each device.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("cuda", 1), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor((2, 3), "float32", "llvm"), y: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            a = R.hint_on_device(x, R.cuda(0))
            b = R.exp(a)
            c = R.hint_on_device(x, R.cuda(0))
            d = R.multiply(c, b)
            e = R.hint_on_device(x, R.cuda(1))
            f = R.exp(e)
            g = R.to_vdevice(d, "llvm")
            h = (g, f)
            R.output(h)
        return h


@I.ir_module
class Expected:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 0, "global"), I.vdevice("cuda", 1, "global"), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"), y: R.Tensor((2, 3), dtype="float32")) -> R.Tuple(R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global")):
        with R.dataflow():
            a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.to_vdevice(x, dst_vdevice="cuda:0:global")
            b: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.exp(a)
            c: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = a
            d: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.multiply(c, b)
            e: R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global") = R.to_vdevice(x, dst_vdevice="cuda:1:global")
            f: R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global") = R.exp(e)
            g: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = R.to_vdevice(d, dst_vdevice="llvm:0:global")
            h: R.Tuple(R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global")) = (g, f)
            R.output(h)
        return h
