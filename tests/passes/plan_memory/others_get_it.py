# What other functions get, and what a function gives to others, has memory of its own.
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

    @T.prim_func(private=True)
    def add_to(A: T.Buffer((40,), "float32"), B: T.Buffer((40,), "float32")):
        for i in range(40):
            with T.sblock("add"):
                v = T.axis.spatial(40, i)
                B[v] = B[v] + A[v]

    @R.function(private=True)
    def inner(x: R.Tensor((40,), "float32")) -> R.Tensor((40,), "float32"):
        cls = Before
        a = R.call_tir(cls.double, (x,), out_ty=R.Tensor((40,), "float32"))
        b = R.call_tir(cls.double, (a,), out_ty=R.Tensor((40,), "float32"))
        return b

    @R.function
    def main(x: R.Tensor((40,), "float32")) -> R.Tensor((40,), "float32"):
        cls = Before
        a = R.call_tir(cls.double, (x,), out_ty=R.Tensor((40,), "float32"))
        b = cls.inner(a)
        c = R.call_tir(cls.double, (b,), out_ty=R.Tensor((40,), "float32"))
        d = R.call_tir(cls.double, (c,), out_ty=R.Tensor((40,), "float32"))
        return d


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def add_to(A: T.Buffer((40,), "float32"), B: T.Buffer((40,), "float32")):
        # with T.sblock("root"):
        for i in range(40):
            with T.sblock("add"):
                v = T.axis.spatial(40, i)
                T.reads(B[v], A[v])
                T.writes(B[v])
                B[v] = B[v] + A[v]

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

    @R.function(private=True)
    def inner(x: R.Tensor((40,), dtype="float32")) -> R.Tensor((40,), dtype="float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Expected
        storage: R.Any = R.memory.alloc_storage(R.shape([192]), 0, R.str("global"), R.dtype("uint8"))
        a: R.Tensor((40,), dtype="float32") = R.memory.alloc_tensor(storage, 0, R.shape([40]), R.dtype("float32"), 0)
        cls.double(x, a)
        b: R.Tensor((40,), dtype="float32") = R.builtin.alloc_tensor(R.shape([40]), R.dtype("float32"), 0, R.str("global"))
        cls.double(a, b)
        R.memory.kill_tensor(a)
        R.memory.kill_storage(storage)
        return b

    @R.function
    def main(x: R.Tensor((40,), dtype="float32")) -> R.Tensor((40,), dtype="float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Expected
        a: R.Tensor((40,), dtype="float32") = R.builtin.alloc_tensor(R.shape([40]), R.dtype("float32"), 0, R.str("global"))
        cls.double(x, a)
        b: R.Tensor((40,), dtype="float32") = cls.inner(a)
        storage: R.Any = R.memory.alloc_storage(R.shape([192]), 0, R.str("global"), R.dtype("uint8"))
        c: R.Tensor((40,), dtype="float32") = R.memory.alloc_tensor(storage, 0, R.shape([40]), R.dtype("float32"), 0)
        cls.double(b, c)
        d: R.Tensor((40,), dtype="float32") = R.builtin.alloc_tensor(R.shape([40]), R.dtype("float32"), 0, R.str("global"))
        cls.double(c, d)
        R.memory.kill_tensor(c)
        R.memory.kill_storage(storage)
        return d
