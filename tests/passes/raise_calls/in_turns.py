# Tensors that take turns in a storage become results; the storage goes.
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
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        cls = Before
        storage = R.memory.alloc_storage(R.shape([8 * n]), 0, "global", "uint8")
        a = R.memory.alloc_tensor(storage, 0, R.shape([n]), "float32")
        _ = cls.double(x, a)
        b = R.memory.alloc_tensor(storage, R.prim_value(4 * n), R.shape([n]), "float32")
        _1 = cls.double(a, b)
        _2 = R.memory.kill_tensor(a)
        c = R.memory.alloc_tensor(storage, 0, R.shape([n]), "float32")
        _3 = cls.double(b, c)
        _4 = R.memory.kill_tensor(b)
        d = R.builtin.alloc_tensor(R.shape([n]), "float32", 0)
        _5 = cls.double(c, d)
        _6 = R.memory.kill_storage(storage)
        return d


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def double(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        # with T.sblock("root"):
        for i in range(n):
            with T.sblock("double"):
                v = T.axis.spatial(n, i)
                T.reads(A[v])
                T.writes(B[v])
                B[v] = A[v] + A[v]

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        cls = Expected
        a = R.call_tir(cls.double, (x,), out_ty=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.double, (a,), out_ty=R.Tensor((n,), dtype="float32"))
        c = R.call_tir(cls.double, (b,), out_ty=R.Tensor((n,), dtype="float32"))
        d = R.call_tir(cls.double, (c,), out_ty=R.Tensor((n,), dtype="float32"))
        return d
