# Rows, parts of a split and what is squeezed out of them are views; columns, and what is computed besides, are not.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def split(A: T.Buffer((4, 6), "float32"), B: T.Buffer((2, 6), "float32"), C: T.Buffer((2, 6), "float32")):
        for i0, i1 in T.grid(2, 6):
            with T.sblock("first"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                B[v0, v1] = A[v0, v1]
        for i0, i1 in T.grid(2, 6):
            with T.sblock("second"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                C[v0, v1] = A[v0 + 2, v1]

    @T.prim_func(private=True)
    def last_row(a: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 6), "float32")
        C = T.match_buffer(c, (6,), "float32")
        for i0 in range(6):
            with T.sblock("row"):
                v0 = T.axis.spatial(6, i0)
                C[v0] = A[n - 1, v0]

    @T.prim_func(private=True)
    def columns(A: T.Buffer((4, 6), "float32"), C: T.Buffer((4, 2), "float32")):
        for i0, i1 in T.grid(4, 2):
            with T.sblock("columns"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                C[v0, v1] = A[v0, v1 + 1]

    @T.prim_func(private=True)
    def twice(A: T.Buffer((4, 6), "float32"), C: T.Buffer((1, 6), "float32")):
        for i0, i1 in T.grid(1, 6):
            with T.sblock("twice"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                C[v0, v1] = A[v0 + 3, v1] * T.float32(2)

    @T.prim_func(private=True)
    def half(A: T.Buffer((4, 6), "float32"), C: T.Buffer((4, 6), "float32")):
        for i0, i1 in T.grid(2, 6):
            with T.sblock("half"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                C[v0, v1] = A[v0, v1]

    @R.function
    def main(x: R.Tensor((4, 6), "float32"), y: R.Tensor(("m", 6), "float32")):
        cls = Before
        parts = R.call_tir(cls.split, (x,), out_sinfo=[R.Tensor((2, 6), "float32"), R.Tensor((2, 6), "float32")])
        second = parts[1]
        row = R.call_tir(cls.last_row, (y,), out_sinfo=R.Tensor((6,), "float32"))
        columns = R.call_tir(cls.columns, (x,), out_sinfo=R.Tensor((4, 2), "float32"))
        twice = R.call_tir(cls.twice, (x,), out_sinfo=R.Tensor((1, 6), "float32"))
        half = R.call_tir(cls.half, (x,), out_sinfo=R.Tensor((4, 6), "float32"))
        return (second, row, columns, twice, half)


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def columns(A: T.Buffer((4, 6), "float32"), C: T.Buffer((4, 2), "float32")):
        # with T.sblock("root"):
        for i0, i1 in T.grid(4, 2):
            with T.sblock("columns"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1 + 1])
                T.writes(C[v0, v1])
                C[v0, v1] = A[v0, v1 + 1]

    @T.prim_func(private=True)
    def half(A: T.Buffer((4, 6), "float32"), C: T.Buffer((4, 6), "float32")):
        # with T.sblock("root"):
        for i0, i1 in T.grid(2, 6):
            with T.sblock("half"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1])
                T.writes(C[v0, v1])
                C[v0, v1] = A[v0, v1]

    @T.prim_func(private=True)
    def last_row(a: T.handle, C: T.Buffer((6,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (n, 6))
        # with T.sblock("root"):
        for i0 in range(6):
            with T.sblock("row"):
                v0 = T.axis.spatial(6, i0)
                T.reads(A[n - 1, v0])
                T.writes(C[v0])
                C[v0] = A[n - 1, v0]

    @T.prim_func(private=True)
    def split(A: T.Buffer((4, 6), "float32"), B: T.Buffer((2, 6), "float32"), C: T.Buffer((2, 6), "float32")):
        # with T.sblock("root"):
        for i0, i1 in T.grid(2, 6):
            with T.sblock("first"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1])
                T.writes(B[v0, v1])
                B[v0, v1] = A[v0, v1]
        for i0, i1 in T.grid(2, 6):
            with T.sblock("second"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0 + 2, v1])
                T.writes(C[v0, v1])
                C[v0, v1] = A[v0 + 2, v1]

    @T.prim_func(private=True)
    def twice(A: T.Buffer((4, 6), "float32"), C: T.Buffer((1, 6), "float32")):
        # with T.sblock("root"):
        for i0, i1 in T.grid(1, 6):
            with T.sblock("twice"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0 + 3, v1])
                T.writes(C[v0, v1])
                C[v0, v1] = A[v0 + 3, v1] * T.float32(2.0)

    @R.function
    def main(x: R.Tensor((4, 6), dtype="float32"), y: R.Tensor(("m", 6), dtype="float32")) -> R.Tuple(R.Tensor((2, 6), dtype="float32"), R.Tensor((6,), dtype="float32"), R.Tensor((4, 2), dtype="float32"), R.Tensor((1, 6), dtype="float32"), R.Tensor((4, 6), dtype="float32")):
        m = T.int64()
        cls = Expected
        parts: R.Tensor((2, 6), dtype="float32") = R.memory.view(x, R.shape([2, 6]), R.dtype("float32"), 0)
        parts_1: R.Tensor((2, 6), dtype="float32") = R.memory.view(x, R.shape([2, 6]), R.dtype("float32"), 48)
        parts_2: R.Tuple(R.Tensor((2, 6), dtype="float32"), R.Tensor((2, 6), dtype="float32")) = (parts, parts_1)
        second: R.Tensor((2, 6), dtype="float32") = parts_2[1]
        row: R.Tensor((6,), dtype="float32") = R.memory.view(y, R.shape([6]), R.dtype("float32"), m * 24 - 24)
        columns = R.call_tir(cls.columns, (x,), out_ty=R.Tensor((4, 2), dtype="float32"))
        twice = R.call_tir(cls.twice, (x,), out_ty=R.Tensor((1, 6), dtype="float32"))
        half = R.call_tir(cls.half, (x,), out_ty=R.Tensor((4, 6), dtype="float32"))
        return (second, row, columns, twice, half)
