# A tensor whose size has symbols has a storage of its own; those of known sizes share one.
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

    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor((40,), "float32")):
        n = T.int64()
        cls = Before
        with R.dataflow():
            a = R.call_tir(cls.double, (x,), out_ty=R.Tensor((n,), "float32"))
            b = R.call_tir(cls.double, (a,), out_ty=R.Tensor((n,), "float32"))
            c = R.call_tir(cls.double, (y,), out_ty=R.Tensor((40,), "float32"))
            d = R.call_tir(cls.double, (c,), out_ty=R.Tensor((40,), "float32"))
            e = R.call_tir(cls.double, (d,), out_ty=R.Tensor((40,), "float32"))
            f = R.call_tir(cls.double, (b,), out_ty=R.Tensor((n,), "float32"))
            R.output(e, f)
        return (e, f)


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

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor((40,), dtype="float32")) -> R.Tuple(R.Tensor((40,), dtype="float32"), R.Tensor(("n",), dtype="float32")):
        R.func_attr({"relax.force_pure": True})
        n = T.int64()
        cls = Expected
        storage: R.Any = R.memory.alloc_storage(R.shape([n * 4]), 0, R.str("global"), R.dtype("uint8"))
        a: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage, 0, R.shape([n]), R.dtype("float32"), 0)
        cls.double(x, a)
        storage_1: R.Any = R.memory.alloc_storage(R.shape([n * 4]), 0, R.str("global"), R.dtype("uint8"))
        b: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage_1, 0, R.shape([n]), R.dtype("float32"), 0)
        cls.double(a, b)
        R.memory.kill_tensor(a)
        R.memory.kill_storage(storage)
        storage_2: R.Any = R.memory.alloc_storage(R.shape([384]), 0, R.str("global"), R.dtype("uint8"))
        c: R.Tensor((40,), dtype="float32") = R.memory.alloc_tensor(storage_2, 0, R.shape([40]), R.dtype("float32"), 0)
        cls.double(y, c)
        d: R.Tensor((40,), dtype="float32") = R.memory.alloc_tensor(storage_2, 192, R.shape([40]), R.dtype("float32"), 0)
        cls.double(c, d)
        R.memory.kill_tensor(c)
        e: R.Tensor((40,), dtype="float32") = R.builtin.alloc_tensor(R.shape([40]), R.dtype("float32"), 0, R.str("global"))
        cls.double(d, e)
        R.memory.kill_tensor(d)
        R.memory.kill_storage(storage_2)
        f: R.Tensor((n,), dtype="float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))
        cls.double(b, f)
        R.memory.kill_tensor(b)
        R.memory.kill_storage(storage_1)
        return (e, f)
