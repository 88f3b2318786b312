# A hint places what the tensor is made of, and what is made of it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("cuda", 1), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.hint_on_device(a, R.cuda(0))
            c = R.exp(b)
            R.output(c)
        return c


@I.ir_module
class Expected:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 0, "global"), I.vdevice("cuda", 1, "global"), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), y: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global")) -> R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"):
        with R.dataflow():
            a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.add(x, y)
            b: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = a
            c: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.exp(b)
            R.output(c)
        return c
