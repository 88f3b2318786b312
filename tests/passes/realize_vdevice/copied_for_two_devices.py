# A private function that is called for two devices is copied; the first call keeps the function.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("cuda", 1), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32")):
        cls = Before
        a = R.hint_on_device(x, R.cuda(0))
        b = R.hint_on_device(y, R.cpu(0))
        c = cls.twice(a)
        d = cls.twice(b)
        e = cls.twice(c)
        return (d, e)

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

    @R.function(private=True)
    def twice_1(a: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"):
        b: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = R.add(a, a)
        return b

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), y: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global")) -> R.Tuple(R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global")):
        cls = Expected
        a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = x
        b: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = y
        c: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = cls.twice(a)
        d: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = cls.twice_1(b)
        e: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = cls.twice(c)
        return (d, e)
