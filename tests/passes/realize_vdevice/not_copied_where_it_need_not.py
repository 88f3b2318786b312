# Calls for one device, or for none, share a function.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("cuda", 1), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32"), z: R.Tensor((2, 3), "float32")):
        cls = Before
        a = R.hint_on_device(x, R.cuda(0))
        b = R.hint_on_device(y, R.cpu(0))
        c = cls.f(a)
        d = cls.g(b)
        e = cls.f(z)
        f = cls.both(a)
        g = cls.both(b)
        return (c, d, e, f, g)

    @R.function(private=True)
    def f(a: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        b = R.exp(a)
        return b

    @R.function(private=True)
    def g(a: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        b = R.exp(a)
        return b

    @R.function(private=True)
    def both(a: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        b = R.sin(a)
        return b


@I.ir_module
class Expected:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 0, "global"), I.vdevice("cuda", 1, "global"), I.vdevice("cuda", 0, "texture")]})

    @R.function(private=True)
    def both(a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"):
        b: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.sin(a)
        return b

    @R.function(private=True)
    def both_1(a: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"):
        b: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = R.sin(a)
        return b

    @R.function(private=True)
    def f(a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"):
        b: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.exp(a)
        return b

    @R.function(private=True)
    def g(a: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"):
        b: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = R.exp(a)
        return b

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), y: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"), z: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global")) -> R.Tuple(R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global")):
        cls = Expected
        a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = x
        b: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = y
        c: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = cls.f(a)
        d: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = cls.g(b)
        e: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = cls.f(z)
        f: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = cls.both(a)
        g: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = cls.both_1(b)
        return (c, d, e, f, g)
