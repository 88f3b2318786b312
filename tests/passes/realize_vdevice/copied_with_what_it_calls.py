# What a copied function calls is copied where it must be, and once for all that ask for the same.
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
        w = R.hint_on_device(z, R.cpu(0))
        c = cls.outer(a)
        d = cls.outer(b)
        e = cls.inner(w)
        return (c, d, e)

    @R.function(private=True)
    def outer(a: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        cls = Before
        b = cls.inner(a)
        return b

    @R.function(private=True)
    def inner(a: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        b = R.exp(a)
        return b


@I.ir_module
class Expected:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 0, "global"), I.vdevice("cuda", 1, "global"), I.vdevice("cuda", 0, "texture")]})

    @R.function(private=True)
    def inner(a: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"):
        b: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = R.exp(a)
        return b

    @R.function(private=True)
    def inner_1(a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"):
        b: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.exp(a)
        return b

    @R.function(private=True)
    def outer(a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"):
        cls = Expected
        b: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = cls.inner_1(a)
        return b

    @R.function(private=True)
    def outer_1(a: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"):
        cls = Expected
        b: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = cls.inner(a)
        return b

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), y: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"), z: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global")) -> R.Tuple(R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global")):
        cls = Expected
        a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = x
        b: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = y
        w: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = z
        c: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = cls.outer(a)
        d: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = cls.outer_1(b)
        e: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = cls.inner(w)
        return (c, d, e)
