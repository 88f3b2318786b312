# error
# Two demands on tensors that are read together are told, with the chain between them.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("cuda", 1), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            a = R.hint_on_device(x, R.cuda(0))
            b = R.exp(a)
            c = R.hint_on_device(y, R.cpu(0))
            d = R.add(b, c)  # E0530: `b` lies on cuda:0 and `d` on llvm:0, and they must lie together
            R.output(d)
        return d
