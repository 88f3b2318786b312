# Batches of products with 64 known columns: more steps than a copy holds are read in place, so that no sums wait.
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
        A = T.match_buffer(a, (n, m, k))
        B = T.match_buffer(b, (n, k, T.int64(64)))
        out = T.match_buffer(c, (n, m, T.int64(64)))
        with T.sblock("root"):
            for b0, i, j, l in T.grid(n, m, T.int64(64), k):
                with T.sblock("product"):
                    vb, vi, vj, vl = T.axis.remap("SSSR", [b0, i, j, l])
                    with T.init():
                        out[vb, vi, vj] = T.float32(0)
                    out[vb, vi, vj] = out[vb, vi, vj] + A[vb, vi, vl] * B[vb, vl, vj]


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def product(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"form_target": "x86-64-v3"})
        n = T.int64()
        m = T.int64()
        k = T.int64()
        A = T.match_buffer(a, (n, m, k))
        B = T.match_buffer(b, (n, k, T.int64(64)))
        out = T.match_buffer(c, (n, m, T.int64(64)))
        with T.sblock("root"):
            T.reads()
            T.writes()
            with T.attr(None, "parallel_if", n * m * 64 * k >= 262144):
                for task in T.parallel(T.if_then_else(m <= 1, T.int64(2), ((m + 5) // 6 + 31) // 32 * 4) * n):
                    b0: T.let[T.int64] = task // T.if_then_else(m <= 1, T.int64(2), ((m + 5) // 6 + 31) // 32 * 4) % n
                    number: T.let[T.int64] = task % T.if_then_else(m <= 1, T.int64(2), ((m + 5) // 6 + 31) // 32 * 4)
                    if m <= 1:
                        for row in range(m):
                            sums = T.alloc_local((T.int64(1), T.int64(32)))
                            for v in T.unroll(T.int64(4)):
                                for j in T.vectorized(T.int64(8)):
                                    sums[T.int64(0), v * 8 + j] = T.float32(0.0)
                            for l in range(k):
                                for v in T.unroll(T.int64(4)):
                                    for j in T.vectorized(T.int64(8)):
                                        sums[T.int64(0), v * 8 + j] = sums[T.int64(0), v * 8 + j] + A[b0, row, l] * B[b0, l, number * 32 + (v * 8 + j)]
                            for v in T.unroll(T.int64(4)):
                                for j in T.vectorized(T.int64(8)):
                                    out[b0, row, number * 32 + (v * 8 + j)] = sums[T.int64(0), v * 8 + j]
                    else:
                        first: T.let[T.int64] = number % 4 * 16
                        packed = T.alloc_local((T.int64(2048), T.int64(16)))
                        if m >= 32 and k <= 2048:
                            for l in range(k):
                                for v in T.unroll(T.int64(2)):
                                    for j in T.vectorized(T.int64(8)):
                                        packed[l, v * 8 + j] = B[b0, l, first + (v * 8 + j)]
                        for tile in range(T.min(32, (m + 5) // 6 - number // 4 * 32)):
                            row: T.let[T.int64] = (number // 4 * 32 + tile) * 6
                            sums = T.alloc_local((T.int64(6), T.int64(16)))
                            for r in T.unroll(T.int64(6)):
                                for v in T.unroll(T.int64(2)):
                                    for j in T.vectorized(T.int64(8)):
                                        sums[r, v * 8 + j] = T.float32(0.0)
                            if m >= 32 and k <= 2048:
                                for l in range(k // 2):
                                    for step in T.unroll(T.int64(2)):
                                        for r in T.unroll(T.int64(6)):
                                            for v in T.unroll(T.int64(2)):
                                                for j in T.vectorized(T.int64(8)):
                                                    sums[r, v * 8 + j] = sums[r, v * 8 + j] + A[b0, T.min(row + r, m - 1), l * 2 + step] * packed[l * 2 + step, v * 8 + j]
                                if k % 2 == 1:
                                    for r in T.unroll(T.int64(6)):
                                        for v in T.unroll(T.int64(2)):
                                            for j in T.vectorized(T.int64(8)):
                                                sums[r, v * 8 + j] = sums[r, v * 8 + j] + A[b0, T.min(row + r, m - 1), k - 1] * packed[k - 1, v * 8 + j]
                            else:
                                for l in range(k // 2):
                                    for step in T.unroll(T.int64(2)):
                                        for r in T.unroll(T.int64(6)):
                                            for v in T.unroll(T.int64(2)):
                                                for j in T.vectorized(T.int64(8)):
                                                    sums[r, v * 8 + j] = sums[r, v * 8 + j] + A[b0, T.min(row + r, m - 1), l * 2 + step] * B[b0, l * 2 + step, first + (v * 8 + j)]
                                if k % 2 == 1:
                                    for r in T.unroll(T.int64(6)):
                                        for v in T.unroll(T.int64(2)):
                                            for j in T.vectorized(T.int64(8)):
                                                sums[r, v * 8 + j] = sums[r, v * 8 + j] + A[b0, T.min(row + r, m - 1), k - 1] * B[b0, k - 1, first + (v * 8 + j)]
                            for r in T.unroll(T.int64(6)):
                                for v in T.unroll(T.int64(2)):
                                    for j in T.vectorized(T.int64(8)):
                                        out[b0, T.min(row + r, m - 1), first + (v * 8 + j)] = sums[r, v * 8 + j]

