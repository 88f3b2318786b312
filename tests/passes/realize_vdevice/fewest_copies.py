# A tensor that several hints want lies where most of them want it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("cuda", 1), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            s = R.add(x, y)
            p = R.exp(x)
            a = R.hint_on_device(s, R.cuda(0))
            b = R.hint_on_device(p, R.cuda(0))
            c = R.hint_on_device(s, R.cpu(0))
            d = (a, b, c)
            R.output(d)
        return d


@I.ir_module
class Expected:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 0, "global"), I.vdevice("cuda", 1, "global"), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), y: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global")) -> R.Tuple(R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global")):
        with R.dataflow():
            s: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.add(x, y)
            p: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = R.exp(x)
            a: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = s
            b: R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global") = p
            c: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global") = R.to_vdevice(s, dst_vdevice="llvm:0:global")
            d: R.Tuple(R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="cuda:0:global"), R.Tensor((2, 3), dtype="float32", vdevice="llvm:0:global")) = (a, b, c)
            R.output(d)
        return d
