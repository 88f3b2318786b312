# A copy has local functions and sizes of its own.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("cuda", 1), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor(("n", 3), "float32"), y: R.Tensor(("m", 3), "float32")):
        cls = Before
        a = R.hint_on_device(x, R.cuda(0))
        b = R.hint_on_device(y, R.cpu(0))
        c = cls.f(a)
        d = cls.f(b)
        return (c, d)

    @R.function(private=True)
    def f(a: R.Tensor(("k", 3), "float32")) -> R.Tensor(("k", 3), "float32"):
        k = T.int64()

        @R.function
        def more(b: R.Tensor((k, 3), "float32")) -> R.Tensor((k, 3), "float32"):
            c = R.add(a, b)
            return c

        d = more(a)
        return d


@I.ir_module
class Expected:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 0, "global"), I.vdevice("cuda", 1, "global"), I.vdevice("cuda", 0, "texture")]})

    @R.function(private=True)
    def f(a: R.Tensor(("k", 3), dtype="float32", vdevice="cuda:0:global")) -> R.Tensor(("k", 3), dtype="float32", vdevice="cuda:0:global"):
        k = T.int64()
        @R.function
        def more(b: R.Tensor(("k", 3), dtype="float32", vdevice="cuda:0:global")) -> R.Tensor(("k", 3), dtype="float32", vdevice="cuda:0:global"):
            c: R.Tensor((k, 3), dtype="float32", vdevice="cuda:0:global") = R.add(a, b)
            return c
        d: R.Tensor((k, 3), dtype="float32", vdevice="cuda:0:global") = more(a)
        return d

    @R.function(private=True)
    def f_1(a: R.Tensor(("k", 3), dtype="float32", vdevice="llvm:0:global")) -> R.Tensor(("k", 3), dtype="float32", vdevice="llvm:0:global"):
        k = T.int64()
        @R.function
        def more(b: R.Tensor(("k", 3), dtype="float32", vdevice="llvm:0:global")) -> R.Tensor(("k", 3), dtype="float32", vdevice="llvm:0:global"):
            c: R.Tensor((k, 3), dtype="float32", vdevice="llvm:0:global") = R.add(a, b)
            return c
        d: R.Tensor((k, 3), dtype="float32", vdevice="llvm:0:global") = more(a)
        return d

    @R.function
    def main(x: R.Tensor(("n", 3), dtype="float32", vdevice="cuda:0:global"), y: R.Tensor(("m", 3), dtype="float32", vdevice="llvm:0:global")) -> R.Tuple(R.Tensor(("n", 3), dtype="float32", vdevice="cuda:0:global"), R.Tensor(("m", 3), dtype="float32", vdevice="llvm:0:global")):
        n = T.int64()
        m = T.int64()
        cls = Expected
        a: R.Tensor((n, 3), dtype="float32", vdevice="cuda:0:global") = x
        b: R.Tensor((m, 3), dtype="float32", vdevice="llvm:0:global") = y
        c: R.Tensor((n, 3), dtype="float32", vdevice="cuda:0:global") = cls.f(a)
        d: R.Tensor((m, 3), dtype="float32", vdevice="llvm:0:global") = cls.f_1(b)
        return (c, d)
