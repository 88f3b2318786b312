# error
# A type may contradict a hint.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("cuda", 1), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor((2, 3), "float32", "llvm")):
        y = R.exp(x)
        h = R.hint_on_device(y, R.cuda(0))
        z = R.add(h, x)  # E0530: `h` lies on cuda:0 and `z` on llvm:0, and they must lie together
        return z
