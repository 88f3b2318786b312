# A call writes to the memory of its last argument of the same shape that nothing reads any more.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            a = R.exp(x)
            b = R.add(a, y)
            c = R.exp(y)
            d = R.multiply(b, c)
            R.output(d)
        return d


@I.ir_module
class Expected:
    @T.prim_func(private=True, s_tir=True)
    def add_inplace(A: T.Buffer((T.int64(2), T.int64(3)), "float32"), B: T.Buffer((T.int64(2), T.int64(3)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_add"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1], B[v0, v1])
                T.writes(A[v0, v1])
                A[v0, v1] = A[v0, v1] + B[v0, v1]

    @T.prim_func(private=True, s_tir=True)
    def multiply_inplace(A: T.Buffer((T.int64(2), T.int64(3)), "float32"), B: T.Buffer((T.int64(2), T.int64(3)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(3)):
            with T.sblock("T_multiply"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1], B[v0, v1])
                T.writes(B[v0, v1])
                B[v0, v1] = A[v0, v1] * B[v0, v1]

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32"), y: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        cls = Expected
        with R.dataflow():
            a: R.Tensor((2, 3), dtype="float32") = R.exp(x)
            b = R.call_tir_inplace(cls.add_inplace, (a, y), out_ty=R.Tensor((2, 3), dtype="float32"), inplace_indices=[0])
            c: R.Tensor((2, 3), dtype="float32") = R.exp(y)
            d = R.call_tir_inplace(cls.multiply_inplace, (b, c), out_ty=R.Tensor((2, 3), dtype="float32"), inplace_indices=[1])
            R.output(d)
        return d
