# A hint may ask for a kind of memory.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("cuda", 1), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            a = R.hint_on_device(x, R.cuda(0), "texture")
            b = R.exp(a)
            R.output(b)
        return b


@I.ir_module
class Expected:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 0, "global"), I.vdevice("cuda", 1, "global"), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32", vdevice="cuda:2:texture")) -> R.Tensor((2, 3), dtype="float32", vdevice="cuda:2:texture"):
        with R.dataflow():
            a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:2:texture") = x
            b: R.Tensor((2, 3), dtype="float32", vdevice="cuda:2:texture") = R.exp(a)
            R.output(b)
        return b
