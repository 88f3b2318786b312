# A small window that moves over lines and pixels, each channel with weights of its own, has tiles of both: a line of the
# image is added to all lines of the tile that it is a tap of. The last tile begins earlier.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def window(
        x: T.Buffer((6, 6, 16), "float32"), w: T.Buffer((2, 2, 16), "float32"), y: T.Buffer((5, 5, 16), "float32")
    ):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v3"})
        with T.sblock("root"):
            for i, j, c, k, l in T.grid(5, 5, 16, 2, 2):
                with T.sblock("sum"):
                    vi, vj, vc, vk, vl = T.axis.remap("SSSRR", [i, j, c, k, l])
                    with T.init():
                        y[vi, vj, vc] = T.float32(0.0)
                    y[vi, vj, vc] = y[vi, vj, vc] + x[vi + vk, vj + vl, vc] * w[vk, vl, vc]


@I.ir_module
class Expected:
    @T.prim_func
    def window(x: T.Buffer((6, 6, 16), "float32"), w: T.Buffer((2, 2, 16), "float32"), y: T.Buffer((5, 5, 16), "float32")):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v3"})
        with T.sblock("root"):
            T.reads()
            T.writes()
            for task in range(T.int64(6)):
                for block in range(T.min(1, 2 - task // 3 % 2)):
                    sums = T.alloc_local((T.int64(2), T.int64(5), T.int64(8)))
                    for r in T.unroll(T.int64(2)):
                        for p in T.unroll(T.int64(5)):
                            for j in T.vectorized(T.int64(8)):
                                sums[r, p, j] = T.float32(0.0)
                    for p in T.unroll(T.int64(5)):
                        for l in T.unroll(T.int64(2)):
                            for j in T.vectorized(T.int64(8)):
                                sums[T.int64(0), p, j] = sums[T.int64(0), p, j] + x[T.Cast("int32", T.min(task % 3 * 2, 3)) + T.Cast("int32", T.int64(0)), T.Cast("int32", p) + T.Cast("int32", l), T.Cast("int32", (task // 3 % 2 + block) * 8 + j)] * w[T.Cast("int32", T.int64(0)), T.Cast("int32", l), T.Cast("int32", (task // 3 % 2 + block) * 8 + j)]
                    for p in T.unroll(T.int64(5)):
                        for l in T.unroll(T.int64(2)):
                            for j in T.vectorized(T.int64(8)):
                                sums[T.int64(0), p, j] = sums[T.int64(0), p, j] + x[T.Cast("int32", T.min(task % 3 * 2, 3)) + T.Cast("int32", T.int64(1)), T.Cast("int32", p) + T.Cast("int32", l), T.Cast("int32", (task // 3 % 2 + block) * 8 + j)] * w[T.Cast("int32", T.int64(1)), T.Cast("int32", l), T.Cast("int32", (task // 3 % 2 + block) * 8 + j)]
                        for l in T.unroll(T.int64(2)):
                            for j in T.vectorized(T.int64(8)):
                                sums[T.int64(1), p, j] = sums[T.int64(1), p, j] + x[T.Cast("int32", T.min(task % 3 * 2, 3) + 1) + T.Cast("int32", T.int64(0)), T.Cast("int32", p) + T.Cast("int32", l), T.Cast("int32", (task // 3 % 2 + block) * 8 + j)] * w[T.Cast("int32", T.int64(0)), T.Cast("int32", l), T.Cast("int32", (task // 3 % 2 + block) * 8 + j)]
                    for p in T.unroll(T.int64(5)):
                        for l in T.unroll(T.int64(2)):
                            for j in T.vectorized(T.int64(8)):
                                sums[T.int64(1), p, j] = sums[T.int64(1), p, j] + x[T.Cast("int32", T.min(task % 3 * 2, 3) + 1) + T.Cast("int32", T.int64(1)), T.Cast("int32", p) + T.Cast("int32", l), T.Cast("int32", (task // 3 % 2 + block) * 8 + j)] * w[T.Cast("int32", T.int64(1)), T.Cast("int32", l), T.Cast("int32", (task // 3 % 2 + block) * 8 + j)]
                    for r in T.unroll(T.int64(2)):
                        for p in T.unroll(T.int64(5)):
                            for j in T.vectorized(T.int64(8)):
                                y[T.Cast("int32", T.min(task % 3 * 2, 3) + r), T.Cast("int32", p), T.Cast("int32", (task // 3 % 2 + block) * 8 + j)] = sums[r, p, j]
