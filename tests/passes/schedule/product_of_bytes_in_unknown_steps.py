# As many steps as a run says pass in parts, in bundles of four; a last bundle has those that are left. The last tile of rows starts
# earlier, and rows that fill no tile are computed one by one.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def product(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v2 -l1-cache=49152 -l2-cache=1048576"})
        n = T.int64()
        k = T.int64()
        A = T.match_buffer(a, (n, k), "uint8")
        B = T.match_buffer(b, (k, T.int64(4)), "int8")
        out = T.match_buffer(c, (n, T.int64(4)), "int32")
        with T.sblock("root"):
            for i, j, l in T.grid(n, T.int64(4), k):
                with T.sblock("product"):
                    vi, vj, vl = T.axis.remap("SSR", [i, j, l])
                    with T.init():
                        out[vi, vj] = 0
                    out[vi, vj] = out[vi, vj] + T.Cast("int32", A[vi, vl]) * T.Cast("int32", B[vl, vj])


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def product(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v2 -l1-cache=49152 -l2-cache=1048576"})
        n = T.int64()
        k = T.int64()
        A = T.match_buffer(a, (n, k), "uint8")
        B = T.match_buffer(b, (k, T.int64(4)), "int8")
        out = T.match_buffer(c, (n, T.int64(4)), "int32")
        with T.sblock("root"):
            T.reads()
            T.writes()
            with T.attr(None, "parallel_if", n * 4 * (k // 4) >= 262144):
                for task in T.parallel(((n + 9) // 10 + 408) // 409):
                    carried = T.alloc_local((T.int64(4090), T.int64(4)), "int32")
                    for part in range(T.max(1, (k + 32767) // 32768)):
                        packed = T.alloc_local((T.int64(8192), T.int64(16)), "int8")
                        for l in range(T.min(8192, k // 4 - part * 8192)):
                            packed[l, T.int64(0):T.int64(16)] = T.Shuffle([T.Shuffle([B[part * 32768 + l * 4, T.Ramp(task % 1 * 4, T.int64(1), 4)], B[part * 32768 + l * 4 + 1, T.Ramp(task % 1 * 4, T.int64(1), 4)]], [0, 4, 1, 5, 2, 6, 3, 7]), T.Shuffle([B[part * 32768 + l * 4 + 2, T.Ramp(task % 1 * 4, T.int64(1), 4)], B[part * 32768 + l * 4 + 3, T.Ramp(task % 1 * 4, T.int64(1), 4)]], [0, 4, 1, 5, 2, 6, 3, 7])], [0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15])
                        if part == T.max(1, (k + 32767) // 32768) - 1 and k % 4 > 0:
                            packed[T.min(8192, k // 4 - part * 8192), T.int64(0):T.int64(16)] = T.Shuffle([T.Shuffle([B[part * 32768 + T.min(8192, k // 4 - part * 8192) * 4, T.Ramp(task % 1 * 4, T.int64(1), 4)], B[part * 32768 + T.min(8192, k // 4 - part * 8192) * 4 + T.min(1, k % 4 - 1), T.Ramp(task % 1 * 4, T.int64(1), 4)]], [0, 4, 1, 5, 2, 6, 3, 7]), T.Shuffle([B[part * 32768 + T.min(8192, k // 4 - part * 8192) * 4 + k % 4 - 1, T.Ramp(task % 1 * 4, T.int64(1), 4)], B[part * 32768 + T.min(8192, k // 4 - part * 8192) * 4 + k % 4 - 1, T.Ramp(task % 1 * 4, T.int64(1), 4)]], [0, 4, 1, 5, 2, 6, 3, 7])], [0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15])
                        if n >= 10:
                            for tile in range(T.min(409, (n + 9) // 10 - task // 1 * 409)):
                                sums = T.alloc_local((T.int64(10), T.int64(4)), "int32")
                                if part == 0:
                                    for r in T.unroll(T.int64(10)):
                                        for j in T.vectorized(T.int64(4)):
                                            sums[r, j] = 0
                                else:
                                    for r in T.unroll(T.int64(10)):
                                        for j in T.vectorized(T.int64(4)):
                                            sums[r, j] = carried[tile * 10 + r, j]
                                for l in range(T.min(8192, k // 4 - part * 8192)):
                                    for r in T.unroll(T.int64(10)):
                                        sums[r, T.int64(0):T.int64(4)] = T.dp4a(A[T.min((task // 1 * 409 + tile) * 10, n - 10) + r, T.Ramp(part * 32768 + l * 4, T.int64(1), 4)], packed[l, T.int64(0):T.int64(16)], sums[r, T.int64(0):T.int64(4)])
                                if part == T.max(1, (k + 32767) // 32768) - 1 and k % 4 > 0:
                                    for r in T.unroll(T.int64(10)):
                                        sums[r, T.int64(0):T.int64(4)] = T.dp4a(T.Shuffle([A[T.min((task // 1 * 409 + tile) * 10, n - 10) + r, part * 32768 + T.min(8192, k // 4 - part * 8192) * 4], T.if_then_else(k % 4 > 1, A[T.min((task // 1 * 409 + tile) * 10, n - 10) + r, part * 32768 + T.min(8192, k // 4 - part * 8192) * 4 + T.min(1, k % 4 - 1)], T.uint8(0)), T.if_then_else(k % 4 > 2, A[T.min((task // 1 * 409 + tile) * 10, n - 10) + r, part * 32768 + T.min(8192, k // 4 - part * 8192) * 4 + k % 4 - 1], T.uint8(0)), T.if_then_else(k % 4 > 3, A[T.min((task // 1 * 409 + tile) * 10, n - 10) + r, part * 32768 + T.min(8192, k // 4 - part * 8192) * 4 + k % 4 - 1], T.uint8(0))], [0, 1, 2, 3]), packed[T.min(8192, k // 4 - part * 8192), T.int64(0):T.int64(16)], sums[r, T.int64(0):T.int64(4)])
                                if part == T.max(1, (k + 32767) // 32768) - 1:
                                    for r in T.unroll(T.int64(10)):
                                        for j in T.vectorized(T.int64(4)):
                                            out[T.min((task // 1 * 409 + tile) * 10, n - 10) + r, task % 1 * 4 + j] = sums[r, j]
                                else:
                                    for r in T.unroll(T.int64(10)):
                                        for j in T.vectorized(T.int64(4)):
                                            carried[tile * 10 + r, j] = sums[r, j]
                        else:
                            for row in range(n):
                                sums = T.alloc_local((T.int64(1), T.int64(4)), "int32")
                                if part == 0:
                                    for j in T.vectorized(T.int64(4)):
                                        sums[T.int64(0), j] = 0
                                else:
                                    for j in T.vectorized(T.int64(4)):
                                        sums[T.int64(0), j] = carried[row, j]
                                for l in range(T.min(8192, k // 4 - part * 8192)):
                                    sums[T.int64(0), T.int64(0):T.int64(4)] = T.dp4a(A[row, T.Ramp(part * 32768 + l * 4, T.int64(1), 4)], packed[l, T.int64(0):T.int64(16)], sums[T.int64(0), T.int64(0):T.int64(4)])
                                if part == T.max(1, (k + 32767) // 32768) - 1 and k % 4 > 0:
                                    sums[T.int64(0), T.int64(0):T.int64(4)] = T.dp4a(T.Shuffle([A[row, part * 32768 + T.min(8192, k // 4 - part * 8192) * 4], T.if_then_else(k % 4 > 1, A[row, part * 32768 + T.min(8192, k // 4 - part * 8192) * 4 + T.min(1, k % 4 - 1)], T.uint8(0)), T.if_then_else(k % 4 > 2, A[row, part * 32768 + T.min(8192, k // 4 - part * 8192) * 4 + k % 4 - 1], T.uint8(0)), T.if_then_else(k % 4 > 3, A[row, part * 32768 + T.min(8192, k // 4 - part * 8192) * 4 + k % 4 - 1], T.uint8(0))], [0, 1, 2, 3]), packed[T.min(8192, k // 4 - part * 8192), T.int64(0):T.int64(16)], sums[T.int64(0), T.int64(0):T.int64(4)])
                                if part == T.max(1, (k + 32767) // 32768) - 1:
                                    for j in T.vectorized(T.int64(4)):
                                        out[row, task % 1 * 4 + j] = sums[T.int64(0), j]
                                else:
                                    for j in T.vectorized(T.int64(4)):
                                        carried[row, j] = sums[T.int64(0), j]
