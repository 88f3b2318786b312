# Fields of a tuple lie where they lie, each for itself.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("cuda", 1), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            t = (x, y)
            a = t[0]
            b = t[1]
            a1 = R.hint_on_device(a, R.cuda(0))
            b1 = R.hint_on_device(b, R.cpu(0))
            c = R.exp(a1)
            d = R.exp(b1)
            u = (c, d)
            R.output(u)
        return u


@I.ir_module
class Expected:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 0, "global"), I.vdevice("cuda", 1, "global"), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), y: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global")) -> R.Tuple(R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global")):
        with R.dataflow():
            t: R.Tuple(R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global")) = (x, y)
            a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = t[0]
            b: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = t[1]
            a1: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = a
            b1: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = b
            c: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.exp(a1)
            d: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = R.exp(b1)
            u: R.Tuple(R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global")) = (c, d)
            R.output(u)
        return u
