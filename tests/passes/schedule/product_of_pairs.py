# Without an instruction for four bytes, rows are copied as int16, and pairs of them are added to two sums a column: of all
# steps, in parts whose sums wait, and of as many rows as a run says.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def whole(A: T.Buffer((T.int64(12), T.int64(40)), "uint8"), B: T.Buffer((T.int64(10), T.int64(64)), "int8"), out: T.Buffer((T.int64(12), T.int64(16)), "int32")):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v2 -l1-cache=32768 -l2-cache=524288"})
        with T.sblock("root"):
            for i, j, k in T.grid(T.int64(12), T.int64(16), T.int64(40)):
                with T.sblock("product"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    with T.init():
                        out[vi, vj] = 0
                    out[vi, vj] = out[vi, vj] + T.Cast("int32", A[vi, vk]) * T.Cast("int32", B[vk // 4, vj * 4 + vk % 4])

    @T.prim_func(private=True)
    def in_parts(A: T.Buffer((T.int64(12), T.int64(4096)), "uint8"), B: T.Buffer((T.int64(1024), T.int64(64)), "int8"), out: T.Buffer((T.int64(12), T.int64(16)), "int32")):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v3 -l1-cache=32768 -l2-cache=524288"})
        with T.sblock("root"):
            for i, j, k in T.grid(T.int64(12), T.int64(16), T.int64(4096)):
                with T.sblock("product"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    with T.init():
                        out[vi, vj] = 0
                    out[vi, vj] = out[vi, vj] + T.Cast("int32", A[vi, vk]) * T.Cast("int32", B[vk // 4, vj * 4 + vk % 4])

    @T.prim_func(private=True)
    def rows_of_a_run(a: T.handle, B: T.Buffer((T.int64(4), T.int64(64)), "int8"), o: T.handle):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v3 -l1-cache=32768 -l2-cache=524288"})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(16)), "uint8")
        out = T.match_buffer(o, (n, T.int64(16)), "int32")
        with T.sblock("root"):
            for i, j, k in T.grid(n, T.int64(16), T.int64(16)):
                with T.sblock("product"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    with T.init():
                        out[vi, vj] = 0
                    out[vi, vj] = out[vi, vj] + T.Cast("int32", A[vi, vk]) * T.Cast("int32", B[vk // 4, vj * 4 + vk % 4])


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def in_parts(A: T.Buffer((T.int64(12), T.int64(4096)), "uint8"), B: T.Buffer((T.int64(1024), T.int64(64)), "int8"), out: T.Buffer((T.int64(12), T.int64(16)), "int32")):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v3 -l1-cache=32768 -l2-cache=524288"})
        with T.sblock("root"):
            T.reads()
            T.writes()
            carried = T.alloc_local((T.int64(12), T.int64(16)), "int32")
            for part in range(T.int64(4)):
                rows = T.alloc_local((T.int64(12), T.int64(1056)), "int16")
                for r, k in T.grid(T.int64(12), T.int64(32)):
                    rows[r, T.Ramp(k * 8 * 4, T.int64(1), 32)] = T.Cast("int16x32", A[r, T.Ramp(part * 1024 + k * 32, T.int64(1), 32)])
                for block, tile in T.grid(T.int64(2), T.int64(2)):
                    pairs = T.alloc_local((T.int64(6), T.int64(16)), "int32")
                    sums = T.alloc_local((T.int64(6), T.int64(8)), "int32")
                    for r in T.unroll(T.int64(6)):
                        pairs[r, T.int64(0):T.int64(16)] = T.Broadcast(0, 16)
                    for k in range(T.int64(256)):
                        for r in T.unroll(T.int64(6)):
                            pairs[r, T.int64(0):T.int64(16)] = T.dp2a(rows[tile * 6 + r, T.Ramp(k * 4, T.int64(1), 4)], T.Cast("int16x32", B[part * 256 + k, T.Ramp(block * 32, T.int64(1), 32)]), pairs[r, T.int64(0):T.int64(16)])
                    if part == 0:
                        for r in T.unroll(T.int64(6)):
                            for j in T.vectorized(T.int64(8)):
                                sums[r, j] = 0
                    else:
                        for r in T.unroll(T.int64(6)):
                            for j in T.vectorized(T.int64(8)):
                                sums[r, j] = carried[tile * 6 + r, block * 8 + j]
                    for r in T.unroll(T.int64(6)):
                        sums[r, T.int64(0):T.int64(8)] = sums[r, T.int64(0):T.int64(8)] + (T.Shuffle([pairs[r, T.int64(0):T.int64(16)]], [0, 2, 4, 6, 8, 10, 12, 14]) + T.Shuffle([pairs[r, T.int64(0):T.int64(16)]], [1, 3, 5, 7, 9, 11, 13, 15]))
                    if part == 3:
                        for r in T.unroll(T.int64(6)):
                            for j in T.vectorized(T.int64(8)):
                                out[tile * 6 + r, block * 8 + j] = sums[r, j]
                    else:
                        for r in T.unroll(T.int64(6)):
                            for j in T.vectorized(T.int64(8)):
                                carried[tile * 6 + r, block * 8 + j] = sums[r, j]

    @T.prim_func(private=True)
    def rows_of_a_run(a: T.handle, B: T.Buffer((T.int64(4), T.int64(64)), "int8"), o: T.handle):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v3 -l1-cache=32768 -l2-cache=524288"})
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(16)), "uint8")
        out = T.match_buffer(o, (n, T.int64(16)), "int32")
        with T.sblock("root"):
            T.reads()
            T.writes()
            if n >= 6:
                if (n + 3) // 4 * 5 < (n + 5) // 6 * 7:
                    with T.attr(None, "parallel_if", n * 16 * 4 >= 262144):
                        for task in T.parallel((n + 3) // 4):
                            rows = T.alloc_local((T.int64(4), T.int64(48)), "int16")
                            for r in range(T.min(4, n - T.min(task % ((n + 3) // 4) * 4, T.max(n - 4, 0)))):
                                rows[r, T.int64(0):T.int64(16)] = T.Cast("int16x16", A[T.min(task % ((n + 3) // 4) * 4, T.max(n - 4, 0)) + r, T.int64(0):T.int64(16)])
                            for block in range(T.int64(2)):
                                pairs = T.alloc_local((T.int64(4), T.int64(16)), "int32")
                                sums = T.alloc_local((T.int64(4), T.int64(8)), "int32")
                                for r in T.unroll(T.int64(4)):
                                    pairs[r, T.int64(0):T.int64(16)] = T.Broadcast(0, 16)
                                for k in T.unroll(T.int64(4)):
                                    for r in T.unroll(T.int64(4)):
                                        pairs[r, T.int64(0):T.int64(16)] = T.dp2a(rows[T.min(task % ((n + 3) // 4) * 4, n - 4) - T.min(task % ((n + 3) // 4) * 4, T.max(n - 4, 0)) + r, T.Ramp(k * 4, T.int64(1), 4)], T.Cast("int16x32", B[k, T.Ramp(block * 32, T.int64(1), 32)]), pairs[r, T.int64(0):T.int64(16)])
                                for r in T.unroll(T.int64(4)):
                                    for j in T.vectorized(T.int64(8)):
                                        sums[r, j] = 0
                                for r in T.unroll(T.int64(4)):
                                    sums[r, T.int64(0):T.int64(8)] = sums[r, T.int64(0):T.int64(8)] + (T.Shuffle([pairs[r, T.int64(0):T.int64(16)]], [0, 2, 4, 6, 8, 10, 12, 14]) + T.Shuffle([pairs[r, T.int64(0):T.int64(16)]], [1, 3, 5, 7, 9, 11, 13, 15]))
                                for r in T.unroll(T.int64(4)):
                                    for j in T.vectorized(T.int64(8)):
                                        out[T.min(task % ((n + 3) // 4) * 4, n - 4) + r, block * 8 + j] = sums[r, j]
                else:
                    with T.attr(None, "parallel_if", n * 16 * 4 >= 262144):
                        for task in T.parallel((n + 5) // 6):
                            rows = T.alloc_local((T.int64(6), T.int64(48)), "int16")
                            for r in range(T.min(6, n - T.min(task % ((n + 5) // 6) * 6, T.max(n - 6, 0)))):
                                rows[r, T.int64(0):T.int64(16)] = T.Cast("int16x16", A[T.min(task % ((n + 5) // 6) * 6, T.max(n - 6, 0)) + r, T.int64(0):T.int64(16)])
                            for block in range(T.int64(2)):
                                pairs = T.alloc_local((T.int64(6), T.int64(16)), "int32")
                                sums = T.alloc_local((T.int64(6), T.int64(8)), "int32")
                                for r in T.unroll(T.int64(6)):
                                    pairs[r, T.int64(0):T.int64(16)] = T.Broadcast(0, 16)
                                for k in T.unroll(T.int64(4)):
                                    for r in T.unroll(T.int64(6)):
                                        pairs[r, T.int64(0):T.int64(16)] = T.dp2a(rows[T.min(task % ((n + 5) // 6) * 6, n - 6) - T.min(task % ((n + 5) // 6) * 6, T.max(n - 6, 0)) + r, T.Ramp(k * 4, T.int64(1), 4)], T.Cast("int16x32", B[k, T.Ramp(block * 32, T.int64(1), 32)]), pairs[r, T.int64(0):T.int64(16)])
                                for r in T.unroll(T.int64(6)):
                                    for j in T.vectorized(T.int64(8)):
                                        sums[r, j] = 0
                                for r in T.unroll(T.int64(6)):
                                    sums[r, T.int64(0):T.int64(8)] = sums[r, T.int64(0):T.int64(8)] + (T.Shuffle([pairs[r, T.int64(0):T.int64(16)]], [0, 2, 4, 6, 8, 10, 12, 14]) + T.Shuffle([pairs[r, T.int64(0):T.int64(16)]], [1, 3, 5, 7, 9, 11, 13, 15]))
                                for r in T.unroll(T.int64(6)):
                                    for j in T.vectorized(T.int64(8)):
                                        out[T.min(task % ((n + 5) // 6) * 6, n - 6) + r, block * 8 + j] = sums[r, j]
            elif n >= 2:
                with T.attr(None, "parallel_if", n * 16 * 4 >= 262144):
                    for task in T.parallel((n + 1) // 2):
                        rows = T.alloc_local((T.int64(2), T.int64(48)), "int16")
                        for r in range(T.min(2, n - T.min(task % ((n + 1) // 2) * 2, T.max(n - 2, 0)))):
                            rows[r, T.int64(0):T.int64(16)] = T.Cast("int16x16", A[T.min(task % ((n + 1) // 2) * 2, T.max(n - 2, 0)) + r, T.int64(0):T.int64(16)])
                        pairs = T.alloc_local((T.int64(2), T.int64(32)), "int32")
                        sums = T.alloc_local((T.int64(2), T.int64(16)), "int32")
                        for r in T.unroll(T.int64(2)):
                            for v in T.unroll(T.int64(2)):
                                pairs[r, T.Ramp(v * 8 * 2, T.int64(1), 16)] = T.Broadcast(0, 16)
                        for k in T.unroll(T.int64(4)):
                            for r in T.unroll(T.int64(2)):
                                for v in T.unroll(T.int64(2)):
                                    pairs[r, T.Ramp(v * 8 * 2, T.int64(1), 16)] = T.dp2a(rows[T.min(task % ((n + 1) // 2) * 2, n - 2) - T.min(task % ((n + 1) // 2) * 2, T.max(n - 2, 0)) + r, T.Ramp(k * 4, T.int64(1), 4)], T.Cast("int16x32", B[k, T.Ramp(v * 32, T.int64(1), 32)]), pairs[r, T.Ramp(v * 8 * 2, T.int64(1), 16)])
                        for r in T.unroll(T.int64(2)):
                            for v in T.unroll(T.int64(2)):
                                for j in T.vectorized(T.int64(8)):
                                    sums[r, v * 8 + j] = 0
                        for r in T.unroll(T.int64(2)):
                            for v in T.unroll(T.int64(2)):
                                sums[r, T.Ramp(v * 8, T.int64(1), 8)] = sums[r, T.Ramp(v * 8, T.int64(1), 8)] + (T.Shuffle([pairs[r, T.Ramp(v * 8 * 2, T.int64(1), 16)]], [0, 2, 4, 6, 8, 10, 12, 14]) + T.Shuffle([pairs[r, T.Ramp(v * 8 * 2, T.int64(1), 16)]], [1, 3, 5, 7, 9, 11, 13, 15]))
                        for r in T.unroll(T.int64(2)):
                            for v in T.unroll(T.int64(2)):
                                for j in T.vectorized(T.int64(8)):
                                    out[T.min(task % ((n + 1) // 2) * 2, n - 2) + r, v * 8 + j] = sums[r, v * 8 + j]
            elif n == 1:
                rows = T.alloc_local((T.int64(1), T.int64(48)), "int16")
                rows[T.int64(0), T.int64(0):T.int64(16)] = T.Cast("int16x16", A[T.int64(0), T.int64(0):T.int64(16)])
                pairs = T.alloc_local((T.int64(1), T.int64(32)), "int32")
                sums = T.alloc_local((T.int64(1), T.int64(16)), "int32")
                for v in T.unroll(T.int64(2)):
                    pairs[T.int64(0), T.Ramp(v * 8 * 2, T.int64(1), 16)] = T.Broadcast(0, 16)
                for k in T.unroll(T.int64(4)):
                    for v in T.unroll(T.int64(2)):
                        pairs[T.int64(0), T.Ramp(v * 8 * 2, T.int64(1), 16)] = T.dp2a(rows[T.int64(0), T.Ramp(k * 4, T.int64(1), 4)], T.Cast("int16x32", B[k, T.Ramp(v * 32, T.int64(1), 32)]), pairs[T.int64(0), T.Ramp(v * 8 * 2, T.int64(1), 16)])
                for v in T.unroll(T.int64(2)):
                    for j in T.vectorized(T.int64(8)):
                        sums[T.int64(0), v * 8 + j] = 0
                for v in T.unroll(T.int64(2)):
                    sums[T.int64(0), T.Ramp(v * 8, T.int64(1), 8)] = sums[T.int64(0), T.Ramp(v * 8, T.int64(1), 8)] + (T.Shuffle([pairs[T.int64(0), T.Ramp(v * 8 * 2, T.int64(1), 16)]], [0, 2, 4, 6, 8, 10, 12, 14]) + T.Shuffle([pairs[T.int64(0), T.Ramp(v * 8 * 2, T.int64(1), 16)]], [1, 3, 5, 7, 9, 11, 13, 15]))
                for v in T.unroll(T.int64(2)):
                    for j in T.vectorized(T.int64(8)):
                        out[T.int64(0), v * 8 + j] = sums[T.int64(0), v * 8 + j]

    @T.prim_func(private=True)
    def whole(A: T.Buffer((T.int64(12), T.int64(40)), "uint8"), B: T.Buffer((T.int64(10), T.int64(64)), "int8"), out: T.Buffer((T.int64(12), T.int64(16)), "int32")):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v2 -l1-cache=32768 -l2-cache=524288"})
        with T.sblock("root"):
            T.reads()
            T.writes()
            rows = T.alloc_local((T.int64(12), T.int64(56)), "int16")
            for r in range(T.int64(12)):
                rows[r, T.int64(0):T.int64(32)] = T.Cast("int16x32", A[r, T.int64(0):T.int64(32)])
                rows[r, T.int64(32):T.int64(40)] = T.Cast("int16x8", A[r, T.int64(32):T.int64(40)])
            for block, tile in T.grid(T.int64(4), T.int64(2)):
                pairs = T.alloc_local((T.int64(6), T.int64(8)), "int32")
                sums = T.alloc_local((T.int64(6), T.int64(4)), "int32")
                for r in T.unroll(T.int64(6)):
                    pairs[r, T.int64(0):T.int64(8)] = T.Broadcast(0, 8)
                for k in range(T.int64(10)):
                    for r in T.unroll(T.int64(6)):
                        pairs[r, T.int64(0):T.int64(8)] = T.dp2a(rows[tile * 6 + r, T.Ramp(k * 4, T.int64(1), 4)], T.Cast("int16x16", B[k, T.Ramp(block * 16, T.int64(1), 16)]), pairs[r, T.int64(0):T.int64(8)])
                for r in T.unroll(T.int64(6)):
                    for j in T.vectorized(T.int64(4)):
                        sums[r, j] = 0
                for r in T.unroll(T.int64(6)):
                    sums[r, T.int64(0):T.int64(4)] = sums[r, T.int64(0):T.int64(4)] + (T.Shuffle([pairs[r, T.int64(0):T.int64(8)]], [0, 2, 4, 6]) + T.Shuffle([pairs[r, T.int64(0):T.int64(8)]], [1, 3, 5, 7]))
                for r in T.unroll(T.int64(6)):
                    for j in T.vectorized(T.int64(4)):
                        out[tile * 6 + r, block * 4 + j] = sums[r, j]

