# Rows, columns and steps that a run says share one tile: rows that are not there are the last one again, the last block of columns
# starts earlier, and columns are copied, in parts of the steps, for many rows and where they fill no block. One row has loops of its own.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def product(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"form_target": "x86-64-v3"})
        m = T.int64()
        k = T.int64()
        n = T.int64()
        A = T.match_buffer(a, (m, k))
        B = T.match_buffer(b, (k, n))
        out = T.match_buffer(c, (m, n))
        with T.sblock("root"):
            for i, j, l in T.grid(m, n, k):
                with T.sblock("product"):
                    vi, vj, vl = T.axis.remap("SSR", [i, j, l])
                    with T.init():
                        out[vi, vj] = T.float32(0)
                    out[vi, vj] = out[vi, vj] + A[vi, vl] * B[vl, vj]


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def product(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"form_target": "x86-64-v3"})
        m = T.int64()
        k = T.int64()
        n = T.int64()
        A = T.match_buffer(a, (m, k))
        B = T.match_buffer(b, (k, n))
        out = T.match_buffer(c, (m, n))
        with T.sblock("root"):
            T.reads()
            T.writes()
            with T.attr(None, "parallel_if", m * n * k >= 262144):
                for task in T.parallel(T.if_then_else(m <= 1 and n >= 32, (n + 31) // 32, ((m + 5) // 6 + 31) // 32 * ((n + 15) // 16))):
                    number: T.let[T.int64] = task % T.if_then_else(m <= 1 and n >= 32, (n + 31) // 32, ((m + 5) // 6 + 31) // 32 * ((n + 15) // 16))
                    if m <= 1 and n >= 32:
                        for row in range(m):
                            sums = T.alloc_local((T.int64(1), T.int64(32)))
                            for v in T.unroll(T.int64(4)):
                                for j in T.vectorized(T.int64(8)):
                                    sums[T.int64(0), v * 8 + j] = T.float32(0.0)
                            for l in range(k):
                                for v in T.unroll(T.int64(4)):
                                    for j in T.vectorized(T.int64(8)):
                                        sums[T.int64(0), v * 8 + j] = sums[T.int64(0), v * 8 + j] + A[row, l] * B[l, T.min(number * 32, n - 32) + (v * 8 + j)]
                            for v in T.unroll(T.int64(4)):
                                for j in T.vectorized(T.int64(8)):
                                    out[row, T.min(number * 32, n - 32) + (v * 8 + j)] = sums[T.int64(0), v * 8 + j]
                    else:
                        first: T.let[T.int64] = T.max(T.min(number % ((n + 15) // 16) * 16, n - 16), 0)
                        carried = T.alloc_local((T.int64(192), T.int64(16)))
                        for part in range(T.max(1, (k + 2047) // 2048)):
                            packed = T.alloc_local((T.int64(2048), T.int64(16)))
                            if m >= 32 or n < 16:
                                if n >= 16:
                                    for l in range(T.min(2048, k - part * 2048)):
                                        for v in T.unroll(T.int64(2)):
                                            for j in T.vectorized(T.int64(8)):
                                                packed[l, v * 8 + j] = B[part * 2048 + l, first + (v * 8 + j)]
                                else:
                                    for l in range(T.min(2048, k - part * 2048)):
                                        for v in T.unroll(T.int64(2)):
                                            for j in T.vectorized(T.int64(8)):
                                                packed[l, v * 8 + j] = T.if_then_else(v * 8 + j < n, B[part * 2048 + l, first + (v * 8 + j)], T.float32(0.0))
                            for tile in range(T.min(32, (m + 5) // 6 - number // ((n + 15) // 16) * 32)):
                                row: T.let[T.int64] = (number // ((n + 15) // 16) * 32 + tile) * 6
                                sums = T.alloc_local((T.int64(6), T.int64(16)))
                                if part == 0:
                                    for r in T.unroll(T.int64(6)):
                                        for v in T.unroll(T.int64(2)):
                                            for j in T.vectorized(T.int64(8)):
                                                sums[r, v * 8 + j] = T.float32(0.0)
                                else:
                                    for r in T.unroll(T.int64(6)):
                                        for v in T.unroll(T.int64(2)):
                                            for j in T.vectorized(T.int64(8)):
                                                sums[r, v * 8 + j] = carried[tile * 6 + r, v * 8 + j]
                                if m >= 32 or n < 16:
                                    for l in range(T.min(2048, k - part * 2048) // 2):
                                        for step in T.unroll(T.int64(2)):
                                            for r in T.unroll(T.int64(6)):
                                                for v in T.unroll(T.int64(2)):
                                                    for j in T.vectorized(T.int64(8)):
                                                        sums[r, v * 8 + j] = sums[r, v * 8 + j] + A[T.min(row + r, m - 1), part * 2048 + (l * 2 + step)] * packed[l * 2 + step, v * 8 + j]
                                    if T.min(2048, k - part * 2048) % 2 == 1:
                                        for r in T.unroll(T.int64(6)):
                                            for v in T.unroll(T.int64(2)):
                                                for j in T.vectorized(T.int64(8)):
                                                    sums[r, v * 8 + j] = sums[r, v * 8 + j] + A[T.min(row + r, m - 1), part * 2048 + (T.min(2048, k - part * 2048) - 1)] * packed[T.min(2048, k - part * 2048) - 1, v * 8 + j]
                                else:
                                    for l in range(T.min(2048, k - part * 2048) // 2):
                                        for step in T.unroll(T.int64(2)):
                                            for r in T.unroll(T.int64(6)):
                                                for v in T.unroll(T.int64(2)):
                                                    for j in T.vectorized(T.int64(8)):
                                                        sums[r, v * 8 + j] = sums[r, v * 8 + j] + A[T.min(row + r, m - 1), part * 2048 + (l * 2 + step)] * B[part * 2048 + (l * 2 + step), first + (v * 8 + j)]
                                    if T.min(2048, k - part * 2048) % 2 == 1:
                                        for r in T.unroll(T.int64(6)):
                                            for v in T.unroll(T.int64(2)):
                                                for j in T.vectorized(T.int64(8)):
                                                    sums[r, v * 8 + j] = sums[r, v * 8 + j] + A[T.min(row + r, m - 1), part * 2048 + (T.min(2048, k - part * 2048) - 1)] * B[part * 2048 + (T.min(2048, k - part * 2048) - 1), first + (v * 8 + j)]
                                if part == T.max(1, (k + 2047) // 2048) - 1:
                                    if n >= 16:
                                        for r in T.unroll(T.int64(6)):
                                            for v in T.unroll(T.int64(2)):
                                                for j in T.vectorized(T.int64(8)):
                                                    out[T.min(row + r, m - 1), first + (v * 8 + j)] = sums[r, v * 8 + j]
                                    else:
                                        for r in T.unroll(T.int64(6)):
                                            for v in T.unroll(T.int64(2)):
                                                for j in T.vectorized(T.int64(8)):
                                                    if v * 8 + j < n:
                                                        out[T.min(row + r, m - 1), first + (v * 8 + j)] = sums[r, v * 8 + j]
                                else:
                                    for r in T.unroll(T.int64(6)):
                                        for v in T.unroll(T.int64(2)):
                                            for j in T.vectorized(T.int64(8)):
                                                carried[tile * 6 + r, v * 8 + j] = sums[r, v * 8 + j]

