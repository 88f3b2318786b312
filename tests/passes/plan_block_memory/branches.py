# Storages of one branch are not taken by the other, nor after it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def exp(x: T.handle, y: T.handle):
        n = T.int64()
        A = T.match_buffer(x, (n,))
        B = T.match_buffer(y, (n,))
        for i in range(n):
            with T.sblock("exp"):
                v = T.axis.spatial(n, i)
                B[v] = T.exp(A[v])

    @R.function(pure=False)
    def main(x: R.Tensor((8,), "float32"), t: R.Tensor((), "bool")):
        cls = Before
        if t:
            a = R.builtin.alloc_tensor(R.shape([8]), "float32", 0)
            cls.exp(x, a)
            b = R.builtin.alloc_tensor(R.shape([8]), "float32", 0)
            cls.exp(a, b)
            r = b
        else:
            c = R.builtin.alloc_tensor(R.shape([8]), "float32", 0)
            cls.exp(x, c)
            d = R.builtin.alloc_tensor(R.shape([8]), "float32", 0)
            cls.exp(c, d)
            r = d
        e = R.builtin.alloc_tensor(R.shape([8]), "float32", 0)
        cls.exp(r, e)
        f = R.builtin.alloc_tensor(R.shape([8]), "float32", 0)
        cls.exp(e, f)
        return f


@I.ir_module
class Expected:
    @T.prim_func
    def exp(x: T.handle, y: T.handle):
        n = T.int64()
        A = T.match_buffer(x, (n,))
        B = T.match_buffer(y, (n,))
        # with T.sblock("root"):
        for i in range(n):
            with T.sblock("exp"):
                v = T.axis.spatial(n, i)
                T.reads(A[v])
                T.writes(B[v])
                B[v] = T.exp(A[v])

    @R.function(pure=False)
    def main(x: R.Tensor((8,), dtype="float32"), t: R.Tensor((), dtype="bool")) -> R.Tensor((8,), dtype="float32"):
        cls = Expected
        if t:
            storage: R.Any = R.memory.alloc_storage(R.shape([32]), 0, R.str("global"), R.dtype("float32"))
            a: R.Tensor((8,), dtype="float32") = R.memory.alloc_tensor(storage, 0, R.shape([8]), R.dtype("float32"), 0)
            cls.exp(x, a)
            b: R.Tensor((8,), dtype="float32") = R.builtin.alloc_tensor(R.shape([8]), R.dtype("float32"), 0, R.str("global"))
            cls.exp(a, b)
            r: R.Tensor((8,), dtype="float32") = b
        else:
            storage_1: R.Any = R.memory.alloc_storage(R.shape([32]), 0, R.str("global"), R.dtype("float32"))
            c: R.Tensor((8,), dtype="float32") = R.memory.alloc_tensor(storage_1, 0, R.shape([8]), R.dtype("float32"), 0)
            cls.exp(x, c)
            d: R.Tensor((8,), dtype="float32") = R.builtin.alloc_tensor(R.shape([8]), R.dtype("float32"), 0, R.str("global"))
            cls.exp(c, d)
            r: R.Tensor((8,), dtype="float32") = d
        storage_2: R.Any = R.memory.alloc_storage(R.shape([32]), 0, R.str("global"), R.dtype("float32"))
        e: R.Tensor((8,), dtype="float32") = R.memory.alloc_tensor(storage_2, 0, R.shape([8]), R.dtype("float32"), 0)
        cls.exp(r, e)
        f: R.Tensor((8,), dtype="float32") = R.builtin.alloc_tensor(R.shape([8]), R.dtype("float32"), 0, R.str("global"))
        cls.exp(e, f)
        return f
