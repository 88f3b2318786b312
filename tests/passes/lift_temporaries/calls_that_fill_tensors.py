# A call that fills its result gets memory for the temporary, too, if the types of its arguments say how much.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def twice(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        with T.sblock("root"):
            C = T.sblock_alloc_buffer((n,), "float32")
            for i in range(n):
                with T.sblock("C"):
                    vi = T.axis.spatial(n, i)
                    C[vi] = T.exp(A[vi])
            for i in range(n):
                with T.sblock("B"):
                    vi = T.axis.spatial(n, i)
                    B[vi] = C[vi] * C[n - 1 - vi]

    @T.prim_func(private=True)
    def padded(a: T.handle, b: T.handle, m: T.int64):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        with T.sblock("root"):
            C = T.sblock_alloc_buffer((n + m,), "float32")
            for i in range(n + m):
                with T.sblock("C"):
                    vi = T.axis.spatial(n + m, i)
                    C[vi] = T.exp(A[vi % n])
            for i in range(n):
                with T.sblock("B"):
                    vi = T.axis.spatial(n, i)
                    B[vi] = C[vi + m] * C[n - 1 - vi]

    @R.function(pure=False)
    def main(x: R.Tensor(("k", 2), "float32"), y: R.Tensor(("k",), "float32"), z: R.Tensor("float32", ndim=1)):
        k = T.int64()
        cls = Before
        out = R.builtin.alloc_tensor(R.shape([k]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _ = cls.twice(y, out)
        _1 = R.vm.call_tir_dyn(cls.padded, (y, out, R.shape([k * 2])))
        _2 = cls.twice(y, z)
        _3 = cls.twice(z, z)
        return out


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def twice(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        with T.sblock("root"):
            C = T.sblock_alloc_buffer((n,), "float32")
            for i in range(n):
                with T.sblock("C"):
                    vi = T.axis.spatial(n, i)
                    C[vi] = T.exp(A[vi])
            for i in range(n):
                with T.sblock("B"):
                    vi = T.axis.spatial(n, i)
                    B[vi] = C[vi] * C[n - 1 - vi]

    @T.prim_func(private=True)
    def padded(a: T.handle, b: T.handle, m: T.int64):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        with T.sblock("root"):
            C = T.sblock_alloc_buffer((n + m,), "float32")
            for i in range(n + m):
                with T.sblock("C"):
                    vi = T.axis.spatial(n + m, i)
                    C[vi] = T.exp(A[vi % n])
            for i in range(n):
                with T.sblock("B"):
                    vi = T.axis.spatial(n, i)
                    B[vi] = C[vi + m] * C[n - 1 - vi]

    @T.prim_func(private=True)
    def twice_planned(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        C = T.match_buffer(c, (n,), "float32")
        with T.sblock("root"):
            for i in range(n):
                with T.sblock("C"):
                    vi = T.axis.spatial(n, i)
                    C[vi] = T.exp(A[vi])
            for i in range(n):
                with T.sblock("B"):
                    vi = T.axis.spatial(n, i)
                    B[vi] = C[vi] * C[n - 1 - vi]

    @T.prim_func(private=True)
    def padded_planned(a: T.handle, b: T.handle, c: T.handle, m: T.int64):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        C = T.match_buffer(c, (n + m,), "float32")
        with T.sblock("root"):
            for i in range(n + m):
                with T.sblock("C"):
                    vi = T.axis.spatial(n + m, i)
                    C[vi] = T.exp(A[vi % n])
            for i in range(n):
                with T.sblock("B"):
                    vi = T.axis.spatial(n, i)
                    B[vi] = C[vi + m] * C[n - 1 - vi]

    @R.function(pure=False)
    def main(x: R.Tensor(("k", 2), "float32"), y: R.Tensor(("k",), "float32"), z: R.Tensor("float32", ndim=1)):
        k = T.int64()
        cls = Expected
        out = R.builtin.alloc_tensor(R.shape([k]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        alloc = R.builtin.alloc_tensor(R.shape([k]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _ = cls.twice_planned(y, out, alloc)
        alloc1 = R.builtin.alloc_tensor(R.shape([k + k * 2]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _1 = R.vm.call_tir_dyn(cls.padded_planned, (y, out, alloc1, R.shape([k * 2])))
        alloc2 = R.builtin.alloc_tensor(R.shape([k]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _2 = cls.twice_planned(y, z, alloc2)
        _3 = cls.twice(z, z)
        return out
