# An epilogue with an elementary function is a loop of its own over the rows of a tile: its numbers take no registers
# while the steps pass.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def product(x: T.Buffer((28, 64), "float32"), w: T.Buffer((64, 32), "float32"), y: T.Buffer((28, 32), "float32")):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v4 -l1-cache=49152 -l2-cache=1048576"})
        with T.sblock("root"):
            p = T.sblock_alloc_buffer((28, 32), "float32")
            for i, j, k in T.grid(28, 32, 64):
                with T.sblock("sum"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    with T.init():
                        p[vi, vj] = T.float32(0.0)
                    p[vi, vj] = p[vi, vj] + x[vi, vk] * w[vk, vj]
            for i, j in T.grid(28, 32):
                with T.sblock("activation"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    y[vi, vj] = T.tanh(p[vi, vj])


@I.ir_module
class Expected:
    @T.prim_func
    def product(x: T.Buffer((28, 64), "float32"), w: T.Buffer((64, 32), "float32"), y: T.Buffer((28, 32), "float32")):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v4 -l1-cache=49152 -l2-cache=1048576"})
        with T.sblock("root"):
            T.reads()
            T.writes()
            for task in range(T.int64(2)):
                for tile in range(T.min(1, 2 - task % 2)):
                    sums = T.alloc_local((T.int64(14), T.int64(32)))
                    for r in T.unroll(T.int64(14)):
                        for v in T.unroll(T.int64(2)):
                            for j in T.vectorized(T.int64(16)):
                                sums[r, v * 16 + j] = T.float32(0.0)
                    for k in range(T.int64(64)):
                        for r in T.unroll(T.int64(14)):
                            for v in T.unroll(T.int64(2)):
                                for j in T.vectorized(T.int64(16)):
                                    sums[r, v * 16 + j] = sums[r, v * 16 + j] + x[T.Cast("int32", (task % 2 + tile) * 14 + r), T.Cast("int32", k)] * w[T.Cast("int32", k), T.Cast("int32", task // 2 * 32 + (v * 16 + j))]
                    results = T.alloc_local((T.int64(14), T.int64(32)))
                    for r in T.unroll(T.int64(14)):
                        for v in T.unroll(T.int64(2)):
                            for j in T.vectorized(T.int64(16)):
                                results[r, v * 16 + j] = sums[r, v * 16 + j]
                    for r in range(T.int64(14)):
                        for v in T.unroll(T.int64(2)):
                            for j in T.vectorized(T.int64(16)):
                                y[T.Cast("int32", (task % 2 + tile) * 14 + r), T.Cast("int32", task // 2 * 32 + (v * 16 + j))] = T.tanh(results[r, v * 16 + j])
