# Memory goes when its tensor is made, a tensor behind its last reader; the result stays.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        s = R.memory.alloc_storage(R.shape([16]), 0, "global", "uint8")
        a = R.memory.alloc_tensor(s, 0, R.shape([4]), "float32")
        b = R.add(x, a)
        c = R.add(b, b)
        return c


@I.ir_module
class Expected:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        s = R.memory.alloc_storage(R.shape([16]), 0, "global", "uint8")
        a = R.memory.alloc_tensor(s, 0, R.shape([4]), "float32")
        k1 = R.memory.kill_storage(s)
        b = R.add(x, a)
        k2 = R.memory.kill_tensor(a)
        c = R.add(b, b)
        k3 = R.memory.kill_tensor(b)
        return c
