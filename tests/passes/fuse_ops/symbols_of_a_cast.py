# What uses a symbol stays behind the cast that defines it, in a group or not.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def double(A: T.Buffer((T.int64(4),), "float32"), B: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"op_pattern": 0})
        for i in range(T.int64(4)):
            with T.sblock("B"):
                vi = T.axis.spatial(T.int64(4), i)
                B[vi] = A[vi] * T.float32(2.0)

    @T.prim_func(private=True)
    def first(A: T.Buffer((T.int64(4),), "float32"), b: T.handle):
        n = T.int64()
        B = T.match_buffer(b, (n,), "float32")
        T.func_attr({"op_pattern": 2})
        for i in range(n):
            with T.sblock("B"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi]

    @R.function
    def main(x: R.Tensor((4,), "float32"), t: R.Tensor((1,), "int64")):
        cls = Before
        n = T.int64()
        with R.dataflow():
            a = R.call_tir(cls.double, (x,), out_ty=R.Tensor((4,), "float32"))
            s = R.tensor_to_shape(t)
            s1 = R.match_cast(s, R.Shape([n]))
            b = R.call_tir(cls.first, (a,), out_ty=R.Tensor((n,), "float32"))
            R.output(b)
        return b


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def double(A: T.Buffer((T.int64(4),), "float32"), B: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"op_pattern": 0})
        # with T.sblock("root"):
        for i in range(T.int64(4)):
            with T.sblock("B"):
                vi = T.axis.spatial(T.int64(4), i)
                T.reads(A[vi])
                T.writes(B[vi])
                B[vi] = A[vi] * T.float32(2.0)

    @T.prim_func(private=True)
    def first(A: T.Buffer((T.int64(4),), "float32"), b: T.handle):
        T.func_attr({"op_pattern": 2})
        n = T.int64()
        B = T.match_buffer(b, (n,))
        # with T.sblock("root"):
        for i in range(n):
            with T.sblock("B"):
                vi = T.axis.spatial(n, i)
                T.reads(A[vi])
                T.writes(B[vi])
                B[vi] = A[vi]

    @R.function(private=True)
    def fused_double_first(x: R.Tensor((4,), dtype="float32"), symbols: R.Shape(["n"])) -> R.Tensor(("n",), dtype="float32"):
        R.func_attr({"Primitive": True})
        n = T.int64()
        cls = Expected
        with R.dataflow():
            a = R.call_tir(cls.double, (x,), out_ty=R.Tensor((4,), dtype="float32"))
            b = R.call_tir(cls.first, (a,), out_ty=R.Tensor((n,), dtype="float32"))
            R.output(b)
        return b

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), t: R.Tensor((1,), dtype="int64")) -> R.Tensor(dtype="float32", ndim=1):
        n = T.int64()
        cls = Expected
        with R.dataflow():
            s: R.Shape(ndim=1) = R.tensor_to_shape(t)
            s1: R.Shape([n]) = R.match_cast(s, R.Shape([n]))
            b: R.Tensor((n,), dtype="float32") = cls.fused_double_first(x, R.shape([n]))
            R.output(b)
        return b
