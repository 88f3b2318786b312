# error
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def double(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        for i in range(n):
            with T.sblock("double"):
                v = T.axis.spatial(n, i)
                B[v] = A[v] + A[v]

    @R.function(pure=False)
    def main(x: R.Tensor((8,), "float32")) -> R.Tensor((8,), "float32"):
        cls = Before
        storage = R.memory.alloc_storage(R.shape([48]), 0, "global", "uint8")
        a = R.memory.alloc_tensor(storage, 0, R.shape([8]), "float32")
        _ = cls.double(x, a)
        b = R.memory.alloc_tensor(storage, 16, R.shape([8]), "float32")
        _1 = cls.double(x, b)
        c = R.builtin.alloc_tensor(R.shape([8]), "float32", 0)
        _2 = cls.double(a, c)  # E1020: reads `a` after `b`, which lies in the same memory, has been written
        return c
