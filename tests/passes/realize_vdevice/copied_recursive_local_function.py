# A local function that calls itself is copied, too.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Before:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("cuda", 1), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32"), n: R.Tensor((), "bool")):
        cls = Before
        a = R.hint_on_device(x, R.cuda(0))
        b = R.hint_on_device(y, R.cpu(0))
        c = cls.f(n, a)
        d = cls.f(n, b)
        return (c, d)

    @R.function(private=True)
    def f(n: R.Tensor((), "bool"), a: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        @R.function
        def more(m: R.Tensor((), "bool"), b: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
            if m:
                r = R.add(a, b)
            else:
                s = R.exp(b)
                r = more(m, s)
            return r

        d = more(n, a)
        return d


@I.ir_module
class Expected:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 0, "global"), I.vdevice("cuda", 1, "global"), I.vdevice("cuda", 0, "texture")]})

    @R.function(private=True)
    def f(n: R.Tensor((), dtype="bool"), a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"):
        @R.function
        def more(m: R.Tensor((), dtype="bool"), b: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"):
            if m:
                r: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.add(a, b)
            else:
                s: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.exp(b)
                r: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = more(m, s)
            return r
        d: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = more(n, a)
        return d

    @R.function(private=True)
    def f_1(n: R.Tensor((), dtype="bool"), a: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"):
        @R.function
        def more(m: R.Tensor((), dtype="bool"), b: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"):
            if m:
                r: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = R.add(a, b)
            else:
                s: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = R.exp(b)
                r: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = more(m, s)
            return r
        d: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = more(n, a)
        return d

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), y: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"), n: R.Tensor((), dtype="bool")) -> R.Tuple(R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global")):
        cls = Expected
        a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = x
        b: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = y
        c: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = cls.f(n, a)
        d: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = cls.f_1(n, b)
        return (c, d)
