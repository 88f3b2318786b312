# A checked cast moves nothing.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("cuda", 1), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor(ndim=2, dtype="float32")):
        n = T.int64()
        y = R.match_cast(x, R.Tensor((n, 3), "float32"))
        h = R.hint_on_device(y, R.cuda(0))
        z = R.exp(h)
        return z


@I.ir_module
class Expected:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 0, "global"), I.vdevice("cuda", 1, "global"), I.vdevice("cuda", 0, "texture")]})

    @R.function
    def main(x: R.Tensor(dtype="float32", ndim=2, vdevice="cuda:0:global")) -> R.Tensor(dtype="float32", ndim=2, vdevice="cuda:0:global"):
        n = T.int64()
        y: R.Tensor((n, 3), dtype="float32", vdevice="cuda:0:global") = R.match_cast(x, R.Tensor((n, 3), dtype="float32", vdevice="cuda:0:global"))
        h: R.Tensor((n, 3), dtype="float32", vdevice="cuda:0:global") = y
        z: R.Tensor((n, 3), dtype="float32", vdevice="cuda:0:global") = R.exp(h)
        return z
