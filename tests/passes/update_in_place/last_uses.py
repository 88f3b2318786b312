# What is read last and changed in part is changed where it lies; tensors of callers, and what is read again, are not.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def put(A: T.Buffer((8, 4), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((8, 4), "float32")):
        for i0, i1 in T.grid(8, 4):
            with T.sblock("copy"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1])
                T.writes(C[v0, v1])
                C[v0, v1] = A[v0, v1]
        for i0 in range(4):
            with T.sblock("put"):
                v0 = T.axis.spatial(4, i0)
                T.reads(B[v0])
                T.writes(C[2, v0])
                C[2, v0] = B[v0]

    @T.prim_func(private=True)
    def put_sum(A: T.Buffer((8, 4), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((8, 4), "float32")):
        for i0, i1 in T.grid(8, 4):
            with T.sblock("copy"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1])
                T.writes(C[v0, v1])
                C[v0, v1] = A[v0, v1]
        for i0 in range(4):
            with T.sblock("put"):
                v0 = T.axis.spatial(4, i0)
                T.reads(B[v0], A[3, v0])
                T.writes(C[2, v0])
                C[2, v0] = B[v0] + A[3, v0]

    @R.function(private=True)
    def step(state: R.Tensor((8, 4), "float32"), row: R.Tensor((4,), "float32")):
        cls = Before
        once = R.call_tir(cls.put, (state, row), out_ty=R.Tensor((8, 4), "float32"))
        kept = R.call_tir(cls.put, (once, row), out_ty=R.Tensor((8, 4), "float32"))
        twice = R.call_tir(cls.put, (kept, row), out_ty=R.Tensor((8, 4), "float32"))
        other = R.call_tir(cls.put_sum, (twice, row), out_ty=R.Tensor((8, 4), "float32"))
        return (kept, other)

    @R.function
    def main(state: R.Tensor((8, 4), "float32"), row: R.Tensor((4,), "float32")):
        cls = Before
        out = R.call_tir(cls.put, (state, row), out_ty=R.Tensor((8, 4), "float32"))
        return out


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def put(A: T.Buffer((8, 4), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((8, 4), "float32")):
        # with T.sblock("root"):
        for i0, i1 in T.grid(8, 4):
            with T.sblock("copy"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1])
                T.writes(C[v0, v1])
                C[v0, v1] = A[v0, v1]
        for i0 in range(4):
            with T.sblock("put"):
                v0 = T.axis.spatial(4, i0)
                T.reads(B[v0])
                T.writes(C[2, v0])
                C[2, v0] = B[v0]

    @T.prim_func(private=True)
    def put_in_place(A: T.Buffer((8, 4), "float32"), B: T.Buffer((4,), "float32")):
        # with T.sblock("root"):
        for i0 in range(4):
            with T.sblock("put"):
                v0 = T.axis.spatial(4, i0)
                T.reads(B[v0])
                T.writes(A[2, v0])
                A[2, v0] = B[v0]

    @T.prim_func(private=True)
    def put_sum(A: T.Buffer((8, 4), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((8, 4), "float32")):
        # with T.sblock("root"):
        for i0, i1 in T.grid(8, 4):
            with T.sblock("copy"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1])
                T.writes(C[v0, v1])
                C[v0, v1] = A[v0, v1]
        for i0 in range(4):
            with T.sblock("put"):
                v0 = T.axis.spatial(4, i0)
                T.reads(B[v0], A[3, v0])
                T.writes(C[2, v0])
                C[2, v0] = B[v0] + A[3, v0]

    @R.function(private=True)
    def step(state: R.Tensor((8, 4), dtype="float32"), row: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((8, 4), dtype="float32"), R.Tensor((8, 4), dtype="float32")):
        cls = Expected
        once = R.call_tir_inplace(cls.put_in_place, (state, row), out_ty=R.Tensor((8, 4), dtype="float32"), inplace_indices=[0])
        kept = R.call_tir_inplace(cls.put_in_place, (once, row), out_ty=R.Tensor((8, 4), dtype="float32"), inplace_indices=[0])
        twice = R.call_tir(cls.put, (kept, row), out_ty=R.Tensor((8, 4), dtype="float32"))
        other = R.call_tir(cls.put_sum, (twice, row), out_ty=R.Tensor((8, 4), dtype="float32"))
        return (kept, other)

    @R.function
    def main(state: R.Tensor((8, 4), dtype="float32"), row: R.Tensor((4,), dtype="float32")) -> R.Tensor((8, 4), dtype="float32"):
        cls = Expected
        out = R.call_tir(cls.put, (state, row), out_ty=R.Tensor((8, 4), dtype="float32"))
        return out

