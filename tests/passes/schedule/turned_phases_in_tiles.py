# The last index of a load may depend on both sides of a tile where it moves by one element along the one: phases of a
# transposed convolution that are put in their places with the channels first.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def main(A: T.Buffer((T.int64(9), T.int64(8)), "float32"), out: T.Buffer((T.int64(4), T.int64(16)), "float32")):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v2"})
        with T.sblock("root"):
            for c, x in T.grid(T.int64(4), T.int64(16)):
                with T.sblock("out"):
                    vc, vx = T.axis.remap("SS", [c, x])
                    out[vc, vx] = A[(vx + T.int64(1)) // T.int64(2), (vx + T.int64(1)) % T.int64(2) * T.int64(4) + vc]


@I.ir_module
class Expected:
    @T.prim_func
    def main(A: T.Buffer((T.int64(9), T.int64(8)), "float32"), out: T.Buffer((T.int64(4), T.int64(16)), "float32")):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v2"})
        with T.sblock("root"):
            T.reads()
            T.writes()
            for block, x_tile in T.grid(T.min(256, T.Sub(T.int64(1), T.int64(0))), T.int64(4)):
                x0: T.let[T.int64] = x_tile * 4
                c0: T.let[T.int64] = T.int64(0)
                row: T.let[T.float32x4] = A[(x0 + 1) // 2, T.Ramp((x0 + 1) % 2 * 4 + c0, T.int64(1), 4)]
                row_1: T.let[T.float32x4] = A[(x0 + 1 + 1) // 2, T.Ramp((x0 + 1 + 1) % 2 * 4 + c0, T.int64(1), 4)]
                row_2: T.let[T.float32x4] = A[(x0 + 2 + 1) // 2, T.Ramp((x0 + 2 + 1) % 2 * 4 + c0, T.int64(1), 4)]
                row_3: T.let[T.float32x4] = A[(x0 + 3 + 1) // 2, T.Ramp((x0 + 3 + 1) % 2 * 4 + c0, T.int64(1), 4)]
                pair: T.let[T.float32x4] = T.Shuffle([row, row_1], [0, 4, 1, 5])
                pair_1: T.let[T.float32x4] = T.Shuffle([row, row_1], [2, 6, 3, 7])
                pair_2: T.let[T.float32x4] = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                pair_3: T.let[T.float32x4] = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                pair_4: T.let[T.float32x4] = T.Shuffle([pair, pair_2], [0, 1, 4, 5])
                pair_5: T.let[T.float32x4] = T.Shuffle([pair, pair_2], [2, 3, 6, 7])
                pair_6: T.let[T.float32x4] = T.Shuffle([pair_1, pair_3], [0, 1, 4, 5])
                pair_7: T.let[T.float32x4] = T.Shuffle([pair_1, pair_3], [2, 3, 6, 7])
                out[c0, T.Ramp(x0, T.int64(1), 4)] = pair_4
                out[c0 + 1, T.Ramp(x0, T.int64(1), 4)] = pair_5
                out[c0 + 2, T.Ramp(x0, T.int64(1), 4)] = pair_6
                out[c0 + 3, T.Ramp(x0, T.int64(1), 4)] = pair_7

