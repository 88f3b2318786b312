# What is proved to copy in order becomes a reshape inside of a block; what leaves it has its own memory.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def flat(A: T.Buffer((T.int64(4), T.int64(6)), "float32"), B: T.Buffer((T.int64(24),), "float32")):
        for i in range(T.int64(24)):
            with T.sblock("flat"):
                v = T.axis.spatial(T.int64(24), i)
                T.reads(A[v // T.int64(6), v % T.int64(6)])
                T.writes(B[v])
                B[v] = A[v // T.int64(6), v % T.int64(6)]

    @T.prim_func(private=True)
    def turned(A: T.Buffer((T.int64(4), T.int64(6)), "float32"), B: T.Buffer((T.int64(6), T.int64(4)), "float32")):
        for i, j in T.grid(T.int64(6), T.int64(4)):
            with T.sblock("turned"):
                v, w = T.axis.remap("SS", [i, j])
                T.reads(A[w, v])
                T.writes(B[v, w])
                B[v, w] = A[w, v]


    @R.function
    def main(x: R.Tensor((4, 6), "float32")):
        with R.dataflow():
            a = R.call_tir(Before.flat, (x,), out_ty=R.Tensor((24,), "float32"))
            b = R.call_tir(Before.turned, (x,), out_ty=R.Tensor((6, 4), "float32"))
            c = R.call_tir(Before.flat, (x,), out_ty=R.Tensor((24,), "float32"))
            d = (a, b)
            R.output(c, d)
        return (c, d)


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def flat(A: T.Buffer((T.int64(4), T.int64(6)), "float32"), B: T.Buffer((T.int64(24),), "float32")):
        for i in range(T.int64(24)):
            with T.sblock("flat"):
                v = T.axis.spatial(T.int64(24), i)
                T.reads(A[v // T.int64(6), v % T.int64(6)])
                T.writes(B[v])
                B[v] = A[v // T.int64(6), v % T.int64(6)]

    @T.prim_func(private=True)
    def turned(A: T.Buffer((T.int64(4), T.int64(6)), "float32"), B: T.Buffer((T.int64(6), T.int64(4)), "float32")):
        for i, j in T.grid(T.int64(6), T.int64(4)):
            with T.sblock("turned"):
                v, w = T.axis.remap("SS", [i, j])
                T.reads(A[w, v])
                T.writes(B[v, w])
                B[v, w] = A[w, v]


    @R.function
    def main(x: R.Tensor((4, 6), "float32")):
        with R.dataflow():
            a = R.reshape(x, (24,))
            b = R.call_tir(Expected.turned, (x,), out_ty=R.Tensor((6, 4), "float32"))
            c = R.call_tir(Expected.flat, (x,), out_ty=R.Tensor((24,), "float32"))
            d = (a, b)
            R.output(c, d)
        return (c, d)
