# Where a tile has more rows than general registers hold places of, fewer rows are computed one by one.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def product(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"form_target": "x86-64-v4"})
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
        T.func_attr({"form_target": "x86-64-v4"})
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
                for task in T.parallel(T.if_then_else(m < 14, (n + 63) // 64, ((m + 13) // 14 + 31) // 32 * ((n + 31) // 32))):
                    number: T.let[T.int64] = task % T.if_then_else(m < 14, (n + 63) // 64, ((m + 13) // 14 + 31) // 32 * ((n + 31) // 32))
                    if m < 14:
                        if n >= 64:
                            for row in range(m):
                                sums = T.alloc_local((T.int64(1), T.int64(64)))
                                for v in T.unroll(T.int64(4)):
                                    for j in T.vectorized(T.int64(16)):
                                        sums[T.int64(0), v * 16 + j] = T.float32(0.0)
                                for l in range(k):
                                    for v in T.unroll(T.int64(4)):
                                        for j in T.vectorized(T.int64(16)):
                                            sums[T.int64(0), v * 16 + j] = sums[T.int64(0), v * 16 + j] + A[row, l] * B[l, T.min(number * 64, n - 64) + (v * 16 + j)]
                                for v in T.unroll(T.int64(4)):
                                    for j in T.vectorized(T.int64(16)):
                                        out[row, T.min(number * 64, n - 64) + (v * 16 + j)] = sums[T.int64(0), v * 16 + j]
                        else:
                            for row in range(m):
                                sums = T.alloc_local((T.int64(1), T.int64(64)))
                                for v in T.unroll(T.int64(4)):
                                    for j in T.vectorized(T.int64(16)):
                                        sums[T.int64(0), v * 16 + j] = T.float32(0.0)
                                for l in range(k):
                                    for v in T.unroll(T.int64(4)):
                                        for j in T.vectorized(T.int64(16)):
                                            sums[T.int64(0), v * 16 + j] = sums[T.int64(0), v * 16 + j] + A[row, l] * T.if_then_else(v * 16 + j < n, B[l, v * 16 + j], T.float32(0.0))
                                for v in T.unroll(T.int64(4)):
                                    for j in T.vectorized(T.int64(16)):
                                        if v * 16 + j < n:
                                            out[row, v * 16 + j] = sums[T.int64(0), v * 16 + j]
                    else:
                        first: T.let[T.int64] = T.max(T.min(number % ((n + 31) // 32) * 32, n - 32), 0)
                        carried = T.alloc_local((T.int64(448), T.int64(32)))
                        for part in range(T.max(1, (k + 1023) // 1024)):
                            packed = T.alloc_local((T.int64(1024), T.int64(32)))
                            if m >= 32 or n < 32:
                                if n >= 32:
                                    for l in range(T.min(1024, k - part * 1024)):
                                        for v in T.unroll(T.int64(2)):
                                            for j in T.vectorized(T.int64(16)):
                                                packed[l, v * 16 + j] = B[part * 1024 + l, first + (v * 16 + j)]
                                else:
                                    for l in range(T.min(1024, k - part * 1024)):
                                        for v in T.unroll(T.int64(2)):
                                            for j in T.vectorized(T.int64(16)):
                                                packed[l, v * 16 + j] = T.if_then_else(v * 16 + j < n, B[part * 1024 + l, first + (v * 16 + j)], T.float32(0.0))
                            for tile in range(T.min(32, (m + 13) // 14 - number // ((n + 31) // 32) * 32)):
                                row: T.let[T.int64] = T.min((number // ((n + 31) // 32) * 32 + tile) * 14, m - 14)
                                sums = T.alloc_local((T.int64(14), T.int64(32)))
                                if part == 0:
                                    for r in T.unroll(T.int64(14)):
                                        for v in T.unroll(T.int64(2)):
                                            for j in T.vectorized(T.int64(16)):
                                                sums[r, v * 16 + j] = T.float32(0.0)
                                else:
                                    for r in T.unroll(T.int64(14)):
                                        for v in T.unroll(T.int64(2)):
                                            for j in T.vectorized(T.int64(16)):
                                                sums[r, v * 16 + j] = carried[tile * 14 + r, v * 16 + j]
                                if m >= 32 or n < 32:
                                    for l in range(T.min(1024, k - part * 1024)):
                                        for r in T.unroll(T.int64(14)):
                                            for v in T.unroll(T.int64(2)):
                                                for j in T.vectorized(T.int64(16)):
                                                    sums[r, v * 16 + j] = sums[r, v * 16 + j] + A[row + r, part * 1024 + l] * packed[l, v * 16 + j]
                                else:
                                    for l in range(T.min(1024, k - part * 1024)):
                                        for r in T.unroll(T.int64(14)):
                                            for v in T.unroll(T.int64(2)):
                                                for j in T.vectorized(T.int64(16)):
                                                    sums[r, v * 16 + j] = sums[r, v * 16 + j] + A[row + r, part * 1024 + l] * B[part * 1024 + l, first + (v * 16 + j)]
                                if part == T.max(1, (k + 1023) // 1024) - 1:
                                    if n >= 32:
                                        for r in T.unroll(T.int64(14)):
                                            for v in T.unroll(T.int64(2)):
                                                for j in T.vectorized(T.int64(16)):
                                                    out[row + r, first + (v * 16 + j)] = sums[r, v * 16 + j]
                                    else:
                                        for r in T.unroll(T.int64(14)):
                                            for v in T.unroll(T.int64(2)):
                                                for j in T.vectorized(T.int64(16)):
                                                    if v * 16 + j < n:
                                                        out[row + r, first + (v * 16 + j)] = sums[r, v * 16 + j]
                                else:
                                    for r in T.unroll(T.int64(14)):
                                        for v in T.unroll(T.int64(2)):
                                            for j in T.vectorized(T.int64(16)):
                                                carried[tile * 14 + r, v * 16 + j] = sums[r, v * 16 + j]

