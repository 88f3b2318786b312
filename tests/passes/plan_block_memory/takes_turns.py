# Tensors that are not alive at the same time take turns in one storage, which is as large as the largest.
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
    def main(x: R.Tensor((8,), "float32")):
        cls = Before
        a = R.builtin.alloc_tensor(R.shape([8]), "float32", 0)
        cls.exp(x, a)
        b = R.builtin.alloc_tensor(R.shape([8]), "float32", 0)
        cls.exp(a, b)
        c = R.builtin.alloc_tensor(R.shape([10]), "float32", 0)
        R.call_packed("f", b, c, ty_args=R.Tuple())
        d = R.builtin.alloc_tensor(R.shape([10]), "float32", 0)
        cls.exp(c, d)
        return d


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
    def main(x: R.Tensor((8,), dtype="float32")) -> R.Tensor((10,), dtype="float32"):
        cls = Expected
        storage: R.Any = R.memory.alloc_storage(R.shape([40]), 0, R.str("global"), R.dtype("float32"))
        a: R.Tensor((8,), dtype="float32") = R.memory.alloc_tensor(storage, 0, R.shape([8]), R.dtype("float32"), 0)
        cls.exp(x, a)
        storage_1: R.Any = R.memory.alloc_storage(R.shape([32]), 0, R.str("global"), R.dtype("float32"))
        b: R.Tensor((8,), dtype="float32") = R.memory.alloc_tensor(storage_1, 0, R.shape([8]), R.dtype("float32"), 0)
        cls.exp(a, b)
        c: R.Tensor((10,), dtype="float32") = R.memory.alloc_tensor(storage, 0, R.shape([10]), R.dtype("float32"), 0)
        R.call_packed("f", b, c, ty_args=(R.Tuple,))
        d: R.Tensor((10,), dtype="float32") = R.builtin.alloc_tensor(R.shape([10]), R.dtype("float32"), 0, R.str("global"))
        cls.exp(c, d)
        return d
