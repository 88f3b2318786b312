# A temporary that one block writes is computed where it is read.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def double_add(A: T.Buffer((T.int64(40),), "float32"), B: T.Buffer((T.int64(40),), "float32"), out: T.Buffer((T.int64(40),), "float32")):
        # with T.sblock("root"):
        twice = T.sblock_alloc_buffer((T.int64(40),))
        for i in range(T.int64(40)):
            with T.sblock("twice"):
                v = T.axis.spatial(T.int64(40), i)
                T.reads(A[v])
                T.writes(twice[v])
                twice[v] = A[v] + A[v]
        for i in range(T.int64(40)):
            with T.sblock("out"):
                v = T.axis.spatial(T.int64(40), i)
                T.reads(twice[v], B[v])
                T.writes(out[v])
                out[v] = twice[v] + B[v]

    @T.prim_func(private=True)
    def double_add_x86_64_v4(A: T.Buffer((T.int64(40),), "float32"), B: T.Buffer((T.int64(40),), "float32"), out: T.Buffer((T.int64(40),), "float32")):
        T.func_attr({"form_of": "double_add", "form_target": "x86-64-v4"})
        # with T.sblock("root"):
        twice = T.sblock_alloc_buffer((T.int64(40),))
        for i in range(T.int64(40)):
            with T.sblock("twice"):
                v = T.axis.spatial(T.int64(40), i)
                T.reads(A[v])
                T.writes(twice[v])
                twice[v] = A[v] + A[v]
        for i in range(T.int64(40)):
            with T.sblock("out"):
                v = T.axis.spatial(T.int64(40), i)
                T.reads(twice[v], B[v])
                T.writes(out[v])
                out[v] = twice[v] + B[v]

    @R.function
    def main(x: R.Tensor((40,), dtype="float32"), y: R.Tensor((40,), dtype="float32")) -> R.Tensor((40,), dtype="float32"):
        cls = Before
        gv = R.call_tir(cls.double_add, (x, y), out_ty=R.Tensor((40,), dtype="float32"))
        return gv


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def double_add(A: T.Buffer((T.int64(40),), "float32"), B: T.Buffer((T.int64(40),), "float32"), out: T.Buffer((T.int64(40),), "float32")):
        # with T.sblock("root"):
        twice = T.sblock_alloc_buffer((T.int64(40),))
        for i in range(T.int64(40)):
            with T.sblock("twice"):
                v = T.axis.spatial(T.int64(40), i)
                T.reads(A[v])
                T.writes(twice[v])
                twice[v] = A[v] + A[v]
        for i in range(T.int64(40)):
            with T.sblock("out"):
                v = T.axis.spatial(T.int64(40), i)
                T.reads(twice[v], B[v])
                T.writes(out[v])
                out[v] = twice[v] + B[v]

    @T.prim_func(private=True)
    def double_add_x86_64_v4(A: T.Buffer((T.int64(40),), "float32"), B: T.Buffer((T.int64(40),), "float32"), out: T.Buffer((T.int64(40),), "float32")):
        T.func_attr({"form_of": "double_add", "form_target": "x86-64-v4"})
        # with T.sblock("root"):
        for i in range(T.int64(40)):
            with T.sblock("out"):
                v = T.axis.spatial(T.int64(40), i)
                T.reads(A[v], B[v])
                T.writes(out[v])
                out[v] = A[v] + A[v] + B[v]

    @R.function
    def main(x: R.Tensor((40,), dtype="float32"), y: R.Tensor((40,), dtype="float32")) -> R.Tensor((40,), dtype="float32"):
        cls = Expected
        gv = R.call_tir(cls.double_add, (x, y), out_ty=R.Tensor((40,), dtype="float32"))
        return gv
