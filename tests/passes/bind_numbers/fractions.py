# A kernel with a fraction that is known has it in its body; integers stay arguments, and other calls as they are.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def scale(a: T.handle, by: T.float32, shift: T.int64, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        C = T.match_buffer(c, (n,), "float32")
        for i in range(n):
            with T.sblock("scale"):
                vi = T.axis.spatial(n, i)
                C[vi] = A[vi] * by + T.Cast("float32", shift)

    @T.prim_func(private=True)
    def move(a: T.handle, shift: T.int64, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        C = T.match_buffer(c, (n,), "float32")
        for i in range(n):
            with T.sblock("move"):
                vi = T.axis.spatial(n, i)
                C[vi] = A[vi] + T.Cast("float32", shift)

    @R.function
    def main(x: R.Tensor(("m",), "float32"), k: R.Prim(value="j")) -> R.Tensor(("m",), "float32"):
        m = T.int64()
        j = T.int64()
        cls = Before
        with R.dataflow():
            y = R.call_tir(cls.scale, (x, T.float32(0.5), j), out_ty=R.Tensor((m,), "float32"))
            z = R.call_tir(cls.move, (y, T.int64(2)), out_ty=R.Tensor((m,), "float32"))
            R.output(z)
        return z


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def scale(a: T.handle, by: T.float32, shift: T.int64, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        C = T.match_buffer(c, (n,), "float32")
        for i in range(n):
            with T.sblock("scale"):
                vi = T.axis.spatial(n, i)
                C[vi] = A[vi] * by + T.Cast("float32", shift)

    @T.prim_func(private=True)
    def move(a: T.handle, shift: T.int64, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        C = T.match_buffer(c, (n,), "float32")
        for i in range(n):
            with T.sblock("move"):
                vi = T.axis.spatial(n, i)
                C[vi] = A[vi] + T.Cast("float32", shift)

    @T.prim_func(private=True)
    def scale1(a: T.handle, c: T.handle, j: T.int64):
        m = T.int64()
        A = T.match_buffer(a, (m,), "float32")
        C = T.match_buffer(c, (m,), "float32")
        for i in range(m):
            with T.sblock("scale"):
                vi = T.axis.spatial(m, i)
                C[vi] = A[vi] * T.float32(0.5) + T.Cast("float32", j)

    @R.function
    def main(x: R.Tensor(("m",), "float32"), k: R.Prim(value="j")) -> R.Tensor(("m",), "float32"):
        m = T.int64()
        j = T.int64()
        cls = Expected
        with R.dataflow():
            y = R.call_tir(cls.scale1, (x,), out_ty=R.Tensor((m,), "float32"), tir_vars=R.shape([j]))
            z = R.call_tir(cls.move, (y, T.int64(2)), out_ty=R.Tensor((m,), "float32"))
            R.output(z)
        return z
