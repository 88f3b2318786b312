# Each way of a branch has its own tensors; those from before are read in both.
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
    def main(x: R.Tensor((8,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((8,), "float32"):
        cls = Before
        storage = R.memory.alloc_storage(R.shape([32]), 0, "global", "uint8")
        a = R.memory.alloc_tensor(storage, 0, R.shape([8]), "float32")
        _ = cls.double(x, a)
        if c:
            b = R.builtin.alloc_tensor(R.shape([8]), "float32", 0)
            _1 = cls.double(a, b)
            r = b
        else:
            r = a
        return r


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
    def main(x: R.Tensor((8,), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor((8,), dtype="float32"):
        cls = Expected
        a = R.call_tir(cls.double, (x,), out_ty=R.Tensor((8,), dtype="float32"))
        if c:
            r = R.call_tir(cls.double, (a,), out_ty=R.Tensor((8,), dtype="float32"))
        else:
            r: R.Tensor((8,), dtype="float32") = a
        return r
