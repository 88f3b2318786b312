# error
# A hint names a device that the module lists.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("cuda", 1), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        h = R.hint_on_device(x, R.opencl(0))  # E0531: R.hint_on_device asks for opencl:0 with memory `global`, and the
        return h
