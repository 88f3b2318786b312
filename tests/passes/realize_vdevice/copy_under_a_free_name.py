# A copy takes the next name that is free.
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
        c = R.hint_on_device(z, R.cuda(1))
        d = cls.f(a)
        e = cls.f(b)
        f = cls.f(c)
        g = cls.f_1(f)
        return (d, e, f, g)

    @R.function(private=True)
    def f(a: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        b = R.exp(a)
        return b

    @R.function(private=True)
    def f_1(a: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        b = R.sin(a)
        return b


@I.ir_module
class Expected:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 0, "global"), I.vdevice("cuda", 1, "global"), I.vdevice("cuda", 0, "texture")]})

    @R.function(private=True)
    def f(a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"):
        b: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.exp(a)
        return b

    @R.function(private=True)
    def f_1(a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global"):
        b: R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global") = R.sin(a)
        return b

    @R.function(private=True)
    def f_2(a: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"):
        b: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = R.exp(a)
        return b

    @R.function(private=True)
    def f_3(a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global"):
        b: R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global") = R.exp(a)
        return b

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), y: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"), z: R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global")) -> R.Tuple(R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global"), R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global")):
        cls = Expected
        a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = x
        b: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = y
        c: R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global") = z
        d: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = cls.f(a)
        e: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = cls.f_2(b)
        f: R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global") = cls.f_3(c)
        g: R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global") = cls.f_1(f)
        return (d, e, f, g)
