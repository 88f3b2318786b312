# Columns that lie along the steps are copied in tiles, whose rows become columns by shuffles; what is left of the steps is copied one by one.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def product(A: T.Buffer((T.int64(8), T.int64(11)), "float32"), B: T.Buffer((T.int64(16), T.int64(11)), "float32"), out: T.Buffer((T.int64(8), T.int64(16)), "float32")):
        T.func_attr({"form_target": "x86-64-v3"})
        with T.sblock("root"):
            for i, j, l in T.grid(T.int64(8), T.int64(16), T.int64(11)):
                with T.sblock("product"):
                    vi, vj, vl = T.axis.remap("SSR", [i, j, l])
                    with T.init():
                        out[vi, vj] = T.float32(0)
                    out[vi, vj] = out[vi, vj] + A[vi, vl] * B[vj, vl]


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def product(A: T.Buffer((T.int64(8), T.int64(11)), "float32"), B: T.Buffer((T.int64(16), T.int64(11)), "float32"), out: T.Buffer((T.int64(8), T.int64(16)), "float32")):
        T.func_attr({"form_target": "x86-64-v3"})
        with T.sblock("root"):
            T.reads()
            T.writes()
            packed = T.alloc_local((T.int64(11), T.int64(16)))
            for block in range(T.int64(2)):
                row: T.let[T.float32x8] = B[block * 8, T.int64(0):T.int64(8)]
                row_1: T.let[T.float32x8] = B[block * 8 + 1, T.int64(0):T.int64(8)]
                row_2: T.let[T.float32x8] = B[block * 8 + 2, T.int64(0):T.int64(8)]
                row_3: T.let[T.float32x8] = B[block * 8 + 3, T.int64(0):T.int64(8)]
                row_4: T.let[T.float32x8] = B[block * 8 + 4, T.int64(0):T.int64(8)]
                row_5: T.let[T.float32x8] = B[block * 8 + 5, T.int64(0):T.int64(8)]
                row_6: T.let[T.float32x8] = B[block * 8 + 6, T.int64(0):T.int64(8)]
                row_7: T.let[T.float32x8] = B[block * 8 + 7, T.int64(0):T.int64(8)]
                pair: T.let[T.float32x8] = T.Shuffle([row, row_1], [0, 8, 1, 9, 4, 12, 5, 13])
                pair_1: T.let[T.float32x8] = T.Shuffle([row, row_1], [2, 10, 3, 11, 6, 14, 7, 15])
                pair_2: T.let[T.float32x8] = T.Shuffle([row_2, row_3], [0, 8, 1, 9, 4, 12, 5, 13])
                pair_3: T.let[T.float32x8] = T.Shuffle([row_2, row_3], [2, 10, 3, 11, 6, 14, 7, 15])
                pair_4: T.let[T.float32x8] = T.Shuffle([row_4, row_5], [0, 8, 1, 9, 4, 12, 5, 13])
                pair_5: T.let[T.float32x8] = T.Shuffle([row_4, row_5], [2, 10, 3, 11, 6, 14, 7, 15])
                pair_6: T.let[T.float32x8] = T.Shuffle([row_6, row_7], [0, 8, 1, 9, 4, 12, 5, 13])
                pair_7: T.let[T.float32x8] = T.Shuffle([row_6, row_7], [2, 10, 3, 11, 6, 14, 7, 15])
                pair_8: T.let[T.float32x8] = T.Shuffle([pair, pair_2], [0, 1, 8, 9, 4, 5, 12, 13])
                pair_9: T.let[T.float32x8] = T.Shuffle([pair, pair_2], [2, 3, 10, 11, 6, 7, 14, 15])
                pair_10: T.let[T.float32x8] = T.Shuffle([pair_1, pair_3], [0, 1, 8, 9, 4, 5, 12, 13])
                pair_11: T.let[T.float32x8] = T.Shuffle([pair_1, pair_3], [2, 3, 10, 11, 6, 7, 14, 15])
                pair_12: T.let[T.float32x8] = T.Shuffle([pair_4, pair_6], [0, 1, 8, 9, 4, 5, 12, 13])
                pair_13: T.let[T.float32x8] = T.Shuffle([pair_4, pair_6], [2, 3, 10, 11, 6, 7, 14, 15])
                pair_14: T.let[T.float32x8] = T.Shuffle([pair_5, pair_7], [0, 1, 8, 9, 4, 5, 12, 13])
                pair_15: T.let[T.float32x8] = T.Shuffle([pair_5, pair_7], [2, 3, 10, 11, 6, 7, 14, 15])
                part: T.let[T.float32x8] = T.Shuffle([pair_8, pair_12], [0, 1, 2, 3, 8, 9, 10, 11])
                part_1: T.let[T.float32x8] = T.Shuffle([pair_8, pair_12], [4, 5, 6, 7, 12, 13, 14, 15])
                part_2: T.let[T.float32x8] = T.Shuffle([pair_9, pair_13], [0, 1, 2, 3, 8, 9, 10, 11])
                part_3: T.let[T.float32x8] = T.Shuffle([pair_9, pair_13], [4, 5, 6, 7, 12, 13, 14, 15])
                part_4: T.let[T.float32x8] = T.Shuffle([pair_10, pair_14], [0, 1, 2, 3, 8, 9, 10, 11])
                part_5: T.let[T.float32x8] = T.Shuffle([pair_10, pair_14], [4, 5, 6, 7, 12, 13, 14, 15])
                part_6: T.let[T.float32x8] = T.Shuffle([pair_11, pair_15], [0, 1, 2, 3, 8, 9, 10, 11])
                part_7: T.let[T.float32x8] = T.Shuffle([pair_11, pair_15], [4, 5, 6, 7, 12, 13, 14, 15])
                packed[T.int64(0), T.Ramp(block * 8, T.int64(1), 8)] = part
                packed[T.int64(1), T.Ramp(block * 8, T.int64(1), 8)] = part_2
                packed[T.int64(2), T.Ramp(block * 8, T.int64(1), 8)] = part_4
                packed[T.int64(3), T.Ramp(block * 8, T.int64(1), 8)] = part_6
                packed[T.int64(4), T.Ramp(block * 8, T.int64(1), 8)] = part_1
                packed[T.int64(5), T.Ramp(block * 8, T.int64(1), 8)] = part_3
                packed[T.int64(6), T.Ramp(block * 8, T.int64(1), 8)] = part_5
                packed[T.int64(7), T.Ramp(block * 8, T.int64(1), 8)] = part_7
            for j, l in T.grid(T.int64(16), T.int64(3)):
                packed[8 + l, j] = B[j, 8 + l]
            for tile in range(T.int64(2)):
                sums = T.alloc_local((T.int64(4), T.int64(16)))
                for r in T.unroll(T.int64(4)):
                    for v in T.unroll(T.int64(2)):
                        for j in T.vectorized(T.int64(8)):
                            sums[r, v * 8 + j] = T.float32(0.0)
                for l in range(T.int64(11)):
                    for r in T.unroll(T.int64(4)):
                        for v in T.unroll(T.int64(2)):
                            for j in T.vectorized(T.int64(8)):
                                sums[r, v * 8 + j] = sums[r, v * 8 + j] + A[tile * 4 + r, l] * packed[l, v * 8 + j]
                for r in T.unroll(T.int64(4)):
                    for v in T.unroll(T.int64(2)):
                        for j in T.vectorized(T.int64(8)):
                            out[tile * 4 + r, v * 8 + j] = sums[r, v * 8 + j]

