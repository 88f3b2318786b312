# A kernel of which it is not known that it gives each element a place of its own is none that others look up in.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def half(A: T.Buffer((96, 24), "float32"), B: T.Buffer((48, 24), "float32")):
        # with T.sblock("root"):
        for i, j in T.grid(96, 24):
            with T.sblock("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi // 2, vj])
                B[vi // 2, vj] = A[vi, vj]

    @T.prim_func(private=True)
    def take(A: T.Buffer((T.int64(96), T.int64(24)), "float32"), B: T.Buffer((T.int64(5),), "int64"), T_take: T.Buffer((T.int64(5), T.int64(24)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(5), T.int64(24)):
            with T.sblock("T_take"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[T.checked_index(T.Select(B[v0] < 0, B[v0] + 96, B[v0]), T.int64(96), B[v0], "take"), v1], B[v0])
                T.writes(T_take[v0, v1])
                T_take[v0, v1] = A[T.checked_index(T.Select(B[v0] < 0, B[v0] + 96, B[v0]), T.int64(96), B[v0], "take"), v1]

    @R.function
    def main(ids: R.Tensor((5,), dtype="int64"), t: R.Tensor((96, 24), dtype="float32")) -> R.Tuple(R.Tensor((5, 24), dtype="float32"), R.Tensor((48, 24), dtype="float32")):
        R.func_attr({"num_input": 1})
        cls = Before
        with R.dataflow():
            h = R.call_tir(cls.half, (t,), out_ty=R.Tensor((48, 24), dtype="float32"))
            a = R.call_tir(cls.take, (t, ids), out_ty=R.Tensor((5, 24), dtype="float32"))
            y: R.Tuple(R.Tensor((5, 24), dtype="float32"), R.Tensor((48, 24), dtype="float32")) = (a, h)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def half(A: T.Buffer((96, 24), "float32"), B: T.Buffer((48, 24), "float32")):
        # with T.sblock("root"):
        for i, j in T.grid(96, 24):
            with T.sblock("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi // 2, vj])
                B[vi // 2, vj] = A[vi, vj]

    @T.prim_func(private=True)
    def take(A: T.Buffer((T.int64(96), T.int64(24)), "float32"), B: T.Buffer((T.int64(5),), "int64"), T_take: T.Buffer((T.int64(5), T.int64(24)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(5), T.int64(24)):
            with T.sblock("T_take"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[T.checked_index(T.Select(B[v0] < 0, B[v0] + 96, B[v0]), T.int64(96), B[v0], "take"), v1], B[v0])
                T.writes(T_take[v0, v1])
                T_take[v0, v1] = A[T.checked_index(T.Select(B[v0] < 0, B[v0] + 96, B[v0]), T.int64(96), B[v0], "take"), v1]

    @R.function
    def main(ids: R.Tensor((5,), dtype="int64"), t: R.Tensor((96, 24), dtype="float32")) -> R.Tuple(R.Tensor((5, 24), dtype="float32"), R.Tensor((48, 24), dtype="float32")):
        R.func_attr({"num_input": 1})
        cls = Expected
        with R.dataflow():
            h = R.call_tir(cls.half, (t,), out_ty=R.Tensor((48, 24), dtype="float32"))
            a = R.call_tir(cls.take, (t, ids), out_ty=R.Tensor((5, 24), dtype="float32"))
            y: R.Tuple(R.Tensor((5, 24), dtype="float32"), R.Tensor((48, 24), dtype="float32")) = (a, h)
            R.output(y)
        return y
