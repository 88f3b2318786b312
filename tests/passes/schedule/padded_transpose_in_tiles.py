# What a padded transpose copies is transposed in tiles, apart from the padding.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def main(A: T.Buffer((T.int64(16), T.int64(32)), "float32"), B: T.Buffer((T.int64(34), T.int64(16)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(34), T.int64(16)):
            with T.sblock("transpose"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v1, v0 - 1])
                T.writes(B[v0, v1])
                B[v0, v1] = T.if_then_else(1 <= v0 and v0 < 33, A[v1, v0 - 1], T.float32(0.0))


@I.ir_module
class Expected:
    @T.prim_func
    def main(A: T.Buffer((T.int64(16), T.int64(32)), "float32"), B: T.Buffer((T.int64(34), T.int64(16)), "float32")):
        T.func_attr({"tirx.noalias": True})
        with T.sblock("root"):
            T.reads()
            T.writes()
            for i1_lane in T.vectorized(T.int64(16)):
                B[T.int64(0), i1_lane] = T.float32(0.0)
            for block in range(T.min(32, T.Sub(T.int64(1), T.int64(0)))):
                i10: T.let[T.int64] = T.int64(0)
                for i0_tile in range(T.int64(2)):
                    i00: T.let[T.int64] = i0_tile * 16
                    row: T.let[T.float32x16] = A[i10, T.Ramp(i00, T.int64(1), 16)]
                    row_1: T.let[T.float32x16] = A[i10 + 1, T.Ramp(i00, T.int64(1), 16)]
                    row_2: T.let[T.float32x16] = A[i10 + 2, T.Ramp(i00, T.int64(1), 16)]
                    row_3: T.let[T.float32x16] = A[i10 + 3, T.Ramp(i00, T.int64(1), 16)]
                    row_4: T.let[T.float32x16] = A[i10 + 4, T.Ramp(i00, T.int64(1), 16)]
                    row_5: T.let[T.float32x16] = A[i10 + 5, T.Ramp(i00, T.int64(1), 16)]
                    row_6: T.let[T.float32x16] = A[i10 + 6, T.Ramp(i00, T.int64(1), 16)]
                    row_7: T.let[T.float32x16] = A[i10 + 7, T.Ramp(i00, T.int64(1), 16)]
                    row_8: T.let[T.float32x16] = A[i10 + 8, T.Ramp(i00, T.int64(1), 16)]
                    row_9: T.let[T.float32x16] = A[i10 + 9, T.Ramp(i00, T.int64(1), 16)]
                    row_10: T.let[T.float32x16] = A[i10 + 10, T.Ramp(i00, T.int64(1), 16)]
                    row_11: T.let[T.float32x16] = A[i10 + 11, T.Ramp(i00, T.int64(1), 16)]
                    row_12: T.let[T.float32x16] = A[i10 + 12, T.Ramp(i00, T.int64(1), 16)]
                    row_13: T.let[T.float32x16] = A[i10 + 13, T.Ramp(i00, T.int64(1), 16)]
                    row_14: T.let[T.float32x16] = A[i10 + 14, T.Ramp(i00, T.int64(1), 16)]
                    row_15: T.let[T.float32x16] = A[i10 + 15, T.Ramp(i00, T.int64(1), 16)]
                    pair: T.let[T.float32x16] = T.Shuffle([row, row_1], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                    pair_1: T.let[T.float32x16] = T.Shuffle([row, row_1], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                    pair_2: T.let[T.float32x16] = T.Shuffle([row_2, row_3], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                    pair_3: T.let[T.float32x16] = T.Shuffle([row_2, row_3], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                    pair_4: T.let[T.float32x16] = T.Shuffle([row_4, row_5], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                    pair_5: T.let[T.float32x16] = T.Shuffle([row_4, row_5], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                    pair_6: T.let[T.float32x16] = T.Shuffle([row_6, row_7], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                    pair_7: T.let[T.float32x16] = T.Shuffle([row_6, row_7], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                    pair_8: T.let[T.float32x16] = T.Shuffle([row_8, row_9], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                    pair_9: T.let[T.float32x16] = T.Shuffle([row_8, row_9], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                    pair_10: T.let[T.float32x16] = T.Shuffle([row_10, row_11], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                    pair_11: T.let[T.float32x16] = T.Shuffle([row_10, row_11], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                    pair_12: T.let[T.float32x16] = T.Shuffle([row_12, row_13], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                    pair_13: T.let[T.float32x16] = T.Shuffle([row_12, row_13], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                    pair_14: T.let[T.float32x16] = T.Shuffle([row_14, row_15], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                    pair_15: T.let[T.float32x16] = T.Shuffle([row_14, row_15], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                    pair_16: T.let[T.float32x16] = T.Shuffle([pair, pair_2], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                    pair_17: T.let[T.float32x16] = T.Shuffle([pair, pair_2], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                    pair_18: T.let[T.float32x16] = T.Shuffle([pair_1, pair_3], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                    pair_19: T.let[T.float32x16] = T.Shuffle([pair_1, pair_3], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                    pair_20: T.let[T.float32x16] = T.Shuffle([pair_4, pair_6], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                    pair_21: T.let[T.float32x16] = T.Shuffle([pair_4, pair_6], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                    pair_22: T.let[T.float32x16] = T.Shuffle([pair_5, pair_7], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                    pair_23: T.let[T.float32x16] = T.Shuffle([pair_5, pair_7], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                    pair_24: T.let[T.float32x16] = T.Shuffle([pair_8, pair_10], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                    pair_25: T.let[T.float32x16] = T.Shuffle([pair_8, pair_10], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                    pair_26: T.let[T.float32x16] = T.Shuffle([pair_9, pair_11], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                    pair_27: T.let[T.float32x16] = T.Shuffle([pair_9, pair_11], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                    pair_28: T.let[T.float32x16] = T.Shuffle([pair_12, pair_14], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                    pair_29: T.let[T.float32x16] = T.Shuffle([pair_12, pair_14], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                    pair_30: T.let[T.float32x16] = T.Shuffle([pair_13, pair_15], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                    pair_31: T.let[T.float32x16] = T.Shuffle([pair_13, pair_15], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                    part: T.let[T.float32x16] = T.Shuffle([pair_16, pair_20], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                    part_1: T.let[T.float32x16] = T.Shuffle([pair_16, pair_20], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                    part_2: T.let[T.float32x16] = T.Shuffle([pair_24, pair_28], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                    part_3: T.let[T.float32x16] = T.Shuffle([pair_24, pair_28], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                    part_4: T.let[T.float32x16] = T.Shuffle([part, part_2], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                    part_5: T.let[T.float32x16] = T.Shuffle([part, part_2], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                    part_6: T.let[T.float32x16] = T.Shuffle([part_1, part_3], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                    part_7: T.let[T.float32x16] = T.Shuffle([part_1, part_3], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                    part_8: T.let[T.float32x16] = T.Shuffle([pair_17, pair_21], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                    part_9: T.let[T.float32x16] = T.Shuffle([pair_17, pair_21], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                    part_10: T.let[T.float32x16] = T.Shuffle([pair_25, pair_29], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                    part_11: T.let[T.float32x16] = T.Shuffle([pair_25, pair_29], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                    part_12: T.let[T.float32x16] = T.Shuffle([part_8, part_10], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                    part_13: T.let[T.float32x16] = T.Shuffle([part_8, part_10], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                    part_14: T.let[T.float32x16] = T.Shuffle([part_9, part_11], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                    part_15: T.let[T.float32x16] = T.Shuffle([part_9, part_11], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                    part_16: T.let[T.float32x16] = T.Shuffle([pair_18, pair_22], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                    part_17: T.let[T.float32x16] = T.Shuffle([pair_18, pair_22], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                    part_18: T.let[T.float32x16] = T.Shuffle([pair_26, pair_30], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                    part_19: T.let[T.float32x16] = T.Shuffle([pair_26, pair_30], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                    part_20: T.let[T.float32x16] = T.Shuffle([part_16, part_18], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                    part_21: T.let[T.float32x16] = T.Shuffle([part_16, part_18], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                    part_22: T.let[T.float32x16] = T.Shuffle([part_17, part_19], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                    part_23: T.let[T.float32x16] = T.Shuffle([part_17, part_19], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                    part_24: T.let[T.float32x16] = T.Shuffle([pair_19, pair_23], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                    part_25: T.let[T.float32x16] = T.Shuffle([pair_19, pair_23], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                    part_26: T.let[T.float32x16] = T.Shuffle([pair_27, pair_31], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                    part_27: T.let[T.float32x16] = T.Shuffle([pair_27, pair_31], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                    part_28: T.let[T.float32x16] = T.Shuffle([part_24, part_26], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                    part_29: T.let[T.float32x16] = T.Shuffle([part_24, part_26], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                    part_30: T.let[T.float32x16] = T.Shuffle([part_25, part_27], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                    part_31: T.let[T.float32x16] = T.Shuffle([part_25, part_27], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                    B[i00 + 1, T.Ramp(i10, T.int64(1), 16)] = part_4
                    B[i00 + 1 + 1, T.Ramp(i10, T.int64(1), 16)] = part_12
                    B[i00 + 2 + 1, T.Ramp(i10, T.int64(1), 16)] = part_20
                    B[i00 + 3 + 1, T.Ramp(i10, T.int64(1), 16)] = part_28
                    B[i00 + 4 + 1, T.Ramp(i10, T.int64(1), 16)] = part_6
                    B[i00 + 5 + 1, T.Ramp(i10, T.int64(1), 16)] = part_14
                    B[i00 + 6 + 1, T.Ramp(i10, T.int64(1), 16)] = part_22
                    B[i00 + 7 + 1, T.Ramp(i10, T.int64(1), 16)] = part_30
                    B[i00 + 8 + 1, T.Ramp(i10, T.int64(1), 16)] = part_5
                    B[i00 + 9 + 1, T.Ramp(i10, T.int64(1), 16)] = part_13
                    B[i00 + 10 + 1, T.Ramp(i10, T.int64(1), 16)] = part_21
                    B[i00 + 11 + 1, T.Ramp(i10, T.int64(1), 16)] = part_29
                    B[i00 + 12 + 1, T.Ramp(i10, T.int64(1), 16)] = part_7
                    B[i00 + 13 + 1, T.Ramp(i10, T.int64(1), 16)] = part_15
                    B[i00 + 14 + 1, T.Ramp(i10, T.int64(1), 16)] = part_23
                    B[i00 + 15 + 1, T.Ramp(i10, T.int64(1), 16)] = part_31
            for i1_lane in T.vectorized(T.int64(16)):
                B[T.Add(T.int64(0), T.int64(33)), i1_lane] = T.float32(0.0)
