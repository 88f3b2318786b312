# error
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def half(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(4):
            with T.sblock("half"):
                v = T.axis.spatial(4, i)
                B[v] = A[v]

    @R.function(pure=False)
    def main(x: R.Tensor((8,), "float32")) -> R.Tensor((8,), "float32"):
        cls = Before
        storage = R.memory.alloc_storage(R.shape([32]), 0, "global", "uint8")
        a = R.memory.alloc_tensor(storage, 0, R.shape([8]), "float32")
        _ = cls.half(x, a)
        b = R.memory.alloc_tensor(storage, 0, R.shape([8]), "float32")
        _1 = cls.half(x, b)  # E1020: a call of `half` that reads or writes parts of `b`, in memory that other tensors
        return b
