# A stack along the last axis is a transpose whose rows are the inputs; two inputs are interleaved.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def pairs(A: T.Buffer((T.int64(32),), "float32"), B: T.Buffer((T.int64(32),), "float32"), out: T.Buffer((T.int64(32), T.int64(2)), "float32")):
        with T.sblock("root"):
            for i, j in T.grid(T.int64(32), T.int64(2)):
                with T.sblock("pairs"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    out[vi, vj] = T.if_then_else(vj < T.int64(1), A[vi], B[vi])


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def pairs(A: T.Buffer((T.int64(32),), "float32"), B: T.Buffer((T.int64(32),), "float32"), out: T.Buffer((T.int64(32), T.int64(2)), "float32")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            out_flat = T.decl_buffer((T.int64(64),), data=out.data)
            for block, i_tile in T.grid(T.min(256, T.Sub(T.int64(1), T.int64(0))), T.int64(2)):
                i0: T.let[T.int64] = i_tile * 16
                row: T.let[T.float32x16] = A[T.Ramp(i0, T.int64(1), 16)]
                row_1: T.let[T.float32x16] = B[T.Ramp(i0, T.int64(1), 16)]
                mixed: T.let[T.float32x16] = T.Shuffle([row, row_1], [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23])
                mixed_1: T.let[T.float32x16] = T.Shuffle([row, row_1], [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31])
                out_flat[T.Ramp(i0 * 2, T.int64(1), 16)] = mixed
                out_flat[T.Ramp(i0 * 2 + 16, T.int64(1), 16)] = mixed_1
