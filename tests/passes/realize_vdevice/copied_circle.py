# Functions that call each other are copied together.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("cuda", 1), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32"), n: R.Tensor((), "bool")):
        cls = Before
        a = R.hint_on_device(x, R.cuda(0))
        b = R.hint_on_device(y, R.cuda(1))
        c = cls.ping(n, a)
        d = cls.pong(n, b)
        return (c, d)

    @R.function(private=True)
    def ping(n: R.Tensor((), "bool"), a: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        cls = Before
        if n:
            r = cls.pong(n, a)
        else:
            r = R.exp(a)
        return r

    @R.function(private=True)
    def pong(n: R.Tensor((), "bool"), a: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        cls = Before
        r = cls.ping(n, a)
        return r


@I.ir_module
class Expected:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 0, "global"), I.vdevice("cuda", 1, "global"), I.vdevice("cuda", 0, "texture")]})

    @R.function(private=True)
    def ping(n: R.Tensor((), dtype="bool"), a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"):
        cls = Expected
        if n:
            r: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = cls.pong(n, a)
        else:
            r: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.exp(a)
        return r

    @R.function(private=True)
    def ping_1(n: R.Tensor((), dtype="bool"), a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global"):
        cls = Expected
        if n:
            r: R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global") = cls.pong_1(n, a)
        else:
            r: R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global") = R.exp(a)
        return r

    @R.function(private=True)
    def pong(n: R.Tensor((), dtype="bool"), a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"):
        cls = Expected
        r: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = cls.ping(n, a)
        return r

    @R.function(private=True)
    def pong_1(n: R.Tensor((), dtype="bool"), a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global"):
        cls = Expected
        r: R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global") = cls.ping_1(n, a)
        return r

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), y: R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global"), n: R.Tensor((), dtype="bool")) -> R.Tuple(R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global")):
        cls = Expected
        a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = x
        b: R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global") = y
        c: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = cls.ping(n, a)
        d: R.Tensor((2, 3), dtype="float32", vdevice="cuda:1:global") = cls.pong_1(n, b)
        return (c, d)
