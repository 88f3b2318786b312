# A transpose becomes tiles: rows are loaded as vectors, columns are made of them by shuffles and stored as vectors.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def turn(A: T.Buffer((T.int64(4), T.int64(6)), "float32"), out: T.Buffer((T.int64(6), T.int64(4)), "float32")):
        with T.sblock("root"):
            for i, j in T.grid(T.int64(6), T.int64(4)):
                with T.sblock("turn"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    out[vi, vj] = A[vj, vi]


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def turn(A: T.Buffer((T.int64(4), T.int64(6)), "float32"), out: T.Buffer((T.int64(6), T.int64(4)), "float32")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            for block in range(T.min(682, T.Sub(T.int64(1), T.int64(0)))):
                j0: T.let[T.int64] = T.int64(0)
                for i_tile in range(T.int64(2)):
                    i0: T.let[T.int64] = T.min(i_tile * 4, 2)
                    row: T.let[T.float32x4] = A[j0, T.Ramp(i0, T.int64(1), 4)]
                    row_1: T.let[T.float32x4] = A[j0 + 1, T.Ramp(i0, T.int64(1), 4)]
                    row_2: T.let[T.float32x4] = A[j0 + 2, T.Ramp(i0, T.int64(1), 4)]
                    row_3: T.let[T.float32x4] = A[j0 + 3, T.Ramp(i0, T.int64(1), 4)]
                    pair: T.let[T.float32x4] = T.Shuffle([row, row_1], [0, 4, 1, 5])
                    pair_1: T.let[T.float32x4] = T.Shuffle([row, row_1], [2, 6, 3, 7])
                    pair_2: T.let[T.float32x4] = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                    pair_3: T.let[T.float32x4] = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                    pair_4: T.let[T.float32x4] = T.Shuffle([pair, pair_2], [0, 1, 4, 5])
                    pair_5: T.let[T.float32x4] = T.Shuffle([pair, pair_2], [2, 3, 6, 7])
                    pair_6: T.let[T.float32x4] = T.Shuffle([pair_1, pair_3], [0, 1, 4, 5])
                    pair_7: T.let[T.float32x4] = T.Shuffle([pair_1, pair_3], [2, 3, 6, 7])
                    out[i0, T.Ramp(j0, T.int64(1), 4)] = pair_4
                    out[i0 + 1, T.Ramp(j0, T.int64(1), 4)] = pair_5
                    out[i0 + 2, T.Ramp(j0, T.int64(1), 4)] = pair_6
                    out[i0 + 3, T.Ramp(j0, T.int64(1), 4)] = pair_7
