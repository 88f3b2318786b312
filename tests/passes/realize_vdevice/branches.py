# Branches give one device; their condition lies where it likes.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("cuda", 1), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32")):
        if c:
            a = R.exp(x)
            z = R.add(a, y)
        else:
            z = R.multiply(x, y)
        o = R.hint_on_device(z, R.cuda(0))
        return o


@I.ir_module
class Expected:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 0, "global"), I.vdevice("cuda", 1, "global"), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), y: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"):
        if c:
            a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.exp(x)
            z: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.add(a, y)
        else:
            z: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.multiply(x, y)
        o: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = z
        return o
