# Devices go into private functions, and come out of them.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("cuda", 1), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        h = R.hint_on_device(x, R.cuda(0))
        cls = Before
        y = cls.twice(h)
        z = R.exp(y)
        return z

    @R.function(private=True)
    def twice(a: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        b = R.add(a, a)
        return b


@I.ir_module
class Expected:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 0, "global"), I.vdevice("cuda", 1, "global"), I.vdevice("cuda", 0, "texture")]})

    @R.function(private=True)
    def twice(a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"):
        b: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.add(a, a)
        return b

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"):
        cls = Expected
        h: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = x
        y: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = cls.twice(h)
        z: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.exp(y)
        return z
