# Steps of one iteration stand outside of the channels, which the weight's memory follows: what the next panel holds is
# asked for on the way, spread over all tiles.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def pointwise(x: T.Buffer((1, 7, 4, 512), "float32"), w: T.Buffer((1, 1, 8, 512, 32), "float32"), y: T.Buffer((1, 7, 4, 256), "float32")):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v4 -l1-cache=49152 -l2-cache=1048576"})
        for n, h, q, o, c, r, s in T.grid(1, 7, 4, 256, 512, 1, 1):
            with T.sblock("sum"):
                vn, vh, vq, vo, vc, vr, vs = T.axis.remap("SSSSRRR", [n, h, q, o, c, r, s])
                with T.init():
                    y[vn, vh, vq, vo] = T.float32(0.0)
                y[vn, vh, vq, vo] = y[vn, vh, vq, vo] + x[vn, vh + vr, vq + vs, vc] * w[vr, vs, vo // 32, vc, vo % 32]


@I.ir_module
class Expected:
    @T.prim_func
    def pointwise(x: T.Buffer((1, 7, 4, 512), "float32"), w: T.Buffer((1, 1, 8, 512, 32), "float32"), y: T.Buffer((1, 7, 4, 256), "float32")):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v4 -l1-cache=49152 -l2-cache=1048576"})
        with T.sblock("root"):
            T.reads()
            T.writes()
            x_flat = T.decl_buffer((1, T.int64(28), 512), data=x.data)
            y_flat = T.decl_buffer((1, T.int64(28), 256), data=y.data)
            with T.attr(None, "parallel_if", T.bool(True)):
                for task in T.parallel(T.int64(8)):
                    for tile in range(T.int64(2)):
                        sums = T.alloc_local((T.int64(14), T.int64(32)))
                        for r in T.unroll(T.int64(14)):
                            for v in T.unroll(T.int64(2)):
                                for j in T.vectorized(T.int64(16)):
                                    sums[r, v * 16 + j] = T.float32(0.0)
                        for c in range(T.int64(512)):
                            T.prefetch(T.address_of(w[0, 0, T.Cast("int32", T.min(task // 1 // 1 * 32 + 32, 224) // 32 + T.min((tile % 2 * 512 + c) // 1, 1023) % 2 * 16 // 32), T.Cast("int32", T.min((tile % 2 * 512 + c) // 1, 1023) // 2), T.Cast("int32", T.min((tile % 2 * 512 + c) // 1, 1023) % 2 * 16 % 32)]), 0, 3, 1)
                            for r in T.unroll(T.int64(14)):
                                for v in T.unroll(T.int64(2)):
                                    for j in T.vectorized(T.int64(16)):
                                        sums[r, v * 16 + j] = sums[r, v * 16 + j] + x_flat[0, tile * 14 + r, T.Cast("int32", c)] * w[0, 0, T.Cast("int32", task // 1 // 1 * 32 // 32 + v * 16 // 32), T.Cast("int32", c), T.Cast("int32", v * 16 % 32 + j)]
                        for r in T.unroll(T.int64(14)):
                            for v in T.unroll(T.int64(2)):
                                for j in T.vectorized(T.int64(16)):
                                    y_flat[T.Cast("int32", task // 1 % 1), tile * 14 + r, T.Cast("int32", task // 1 // 1 * 32 + (v * 16 + j))] = sums[r, v * 16 + j]
