# What a kernel reads and writes, or writes a part of, is changed in place; results come last; scalars follow the tensors.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def add_to(B: T.Buffer((8,), "float32"), A: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("add"):
                v = T.axis.spatial(8, i)
                B[v] = B[v] + A[v]

    @T.prim_func(private=True)
    def put(A: T.Buffer((8,), "float32"), at: T.int64, B: T.Buffer((8,), "float32")):
        for i in range(1):
            with T.sblock("put"):
                v = T.axis.spatial(1, i)
                B[v + at] = A[v]

    @T.prim_func(private=True)
    def split(B: T.Buffer((8,), "float32"), A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("split"):
                v = T.axis.spatial(8, i)
                B[v] = A[v] - T.float32(1)
                C[v] = A[v] + T.float32(1)

    @R.function(pure=False)
    def main(x: R.Tensor((8,), "float32"), s: R.Shape(["n"])):
        n = T.int64()
        cls = Before
        a = R.builtin.alloc_tensor(R.shape([8]), "float32", 0)
        b = R.builtin.alloc_tensor(R.shape([8]), "float32", 0)
        _ = cls.split(a, x, b)
        _1 = cls.add_to(a, b)
        _2 = R.vm.call_tir_dyn(cls.put, (x, a, R.shape([n])))
        return (a, b)


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def add_to(B: T.Buffer((8,), "float32"), A: T.Buffer((8,), "float32")):
        # with T.sblock("root"):
        for i in range(8):
            with T.sblock("add"):
                v = T.axis.spatial(8, i)
                T.reads(B[v], A[v])
                T.writes(B[v])
                B[v] = B[v] + A[v]

    @T.prim_func(private=True)
    def put(A: T.Buffer((8,), "float32"), at: T.int64, B: T.Buffer((8,), "float32")):
        # with T.sblock("root"):
        for i in range(1):
            with T.sblock("put"):
                v = T.axis.spatial(1, i)
                T.reads(A[v])
                T.writes(B[T.Cast("int64", v) + at])
                B[T.Cast("int64", v) + at] = A[v]

    @T.prim_func(private=True)
    def split(B: T.Buffer((8,), "float32"), A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        # with T.sblock("root"):
        for i in range(8):
            with T.sblock("split"):
                v = T.axis.spatial(8, i)
                T.reads(A[v])
                T.writes(B[v], C[v])
                B[v] = A[v] - T.float32(1.0)
                C[v] = A[v] + T.float32(1.0)

    @T.prim_func(private=True)
    def split_results_last(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        # with T.sblock("root"):
        for i in range(8):
            with T.sblock("split"):
                v = T.axis.spatial(8, i)
                T.reads(A[v])
                T.writes(B[v], C[v])
                B[v] = A[v] - T.float32(1.0)
                C[v] = A[v] + T.float32(1.0)

    @R.function(pure=False)
    def main(x: R.Tensor((8,), dtype="float32"), s: R.Shape(["n"])) -> R.Tuple(R.Tensor((8,), dtype="float32"), R.Tensor((8,), dtype="float32")):
        n = T.int64()
        cls = Expected
        lv = R.call_tir(cls.split_results_last, (x,), out_ty=R.Tuple(R.Tensor((8,), dtype="float32"), R.Tensor((8,), dtype="float32")))
        a: R.Tensor((8,), dtype="float32") = lv[0]
        b: R.Tensor((8,), dtype="float32") = lv[1]
        a_1 = R.call_tir_inplace(cls.add_to, (a, b), out_ty=R.Tensor((8,), dtype="float32"), inplace_indices=[0])
        a_2 = R.call_tir_inplace(cls.put, (x, a_1), out_ty=R.Tensor((8,), dtype="float32"), inplace_indices=[1], tir_vars=R.shape([n]))
        return (a_2, b)
