# error
# A demand inside of a function holds in every copy.
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
        c = cls.f(a)
        d = cls.f(b)
        e = cls.g(b)
        return (c, d, e)

    @R.function(private=True)
    def f(a: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):  # E0530: `the result of f` lies on cuda:1 and
        b = R.exp(a)
        return b

    @R.function(private=True)
    def g(a: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        cls = Before
        b = cls.f(a)
        c: R.Tensor((2, 3), "float32", "cuda:1") = R.exp(b)
        return c
