# A view of a tensor keeps its storage alive; a tensor of another dtype has a storage of its own.
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
        v = R.reshape(a, R.shape([2, 4]))
        w = R.match_cast(v, R.Tensor((2, 4), "float32"))
        b = R.builtin.alloc_tensor(R.shape([8]), "float32", 0)
        cls.exp(x, b)
        c = R.builtin.alloc_tensor(R.shape([8]), "int32", 0)
        R.call_packed("f", w, b, c, ty_args=R.Tuple())
        return x


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
    def main(x: R.Tensor((8,), dtype="float32")) -> R.Tensor((8,), dtype="float32"):
        cls = Expected
        storage: R.Any = R.memory.alloc_storage(R.shape([32]), 0, R.str("global"), R.dtype("float32"))
        a: R.Tensor((8,), dtype="float32") = R.memory.alloc_tensor(storage, 0, R.shape([8]), R.dtype("float32"), 0)
        cls.exp(x, a)
        v: R.Tensor((2, 4), dtype="float32") = R.reshape(a, R.shape([2, 4]))
        w: R.Tensor((2, 4), dtype="float32") = R.match_cast(v, R.Tensor((2, 4), dtype="float32"))
        storage_1: R.Any = R.memory.alloc_storage(R.shape([32]), 0, R.str("global"), R.dtype("float32"))
        b: R.Tensor((8,), dtype="float32") = R.memory.alloc_tensor(storage_1, 0, R.shape([8]), R.dtype("float32"), 0)
        cls.exp(x, b)
        storage_2: R.Any = R.memory.alloc_storage(R.shape([32]), 0, R.str("global"), R.dtype("int32"))
        c: R.Tensor((8,), dtype="int32") = R.memory.alloc_tensor(storage_2, 0, R.shape([8]), R.dtype("int32"), 0)
        R.call_packed("f", w, b, c, ty_args=(R.Tuple,))
        return x
