# Four steps of bytes are one: columns are copied so that the bytes of each lie side by side, or read so in place.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def packed(A: T.Buffer((T.int64(8), T.int64(8)), "uint8"), B: T.Buffer((T.int64(8), T.int64(20)), "int8"), out: T.Buffer((T.int64(8), T.int64(20)), "int32")):
        with T.sblock("root"):
            for i, j, k in T.grid(T.int64(8), T.int64(20), T.int64(8)):
                with T.sblock("product"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    with T.init():
                        out[vi, vj] = 0
                    out[vi, vj] = out[vi, vj] + T.Cast("int32", A[vi, vk]) * T.Cast("int32", B[vk, vj])

    @T.prim_func(private=True)
    def in_place(A: T.Buffer((T.int64(2), T.int64(8)), "uint8"), B: T.Buffer((T.int64(2), T.int64(80)), "int8"), out: T.Buffer((T.int64(2), T.int64(20)), "int32")):
        with T.sblock("root"):
            for i, j, k in T.grid(T.int64(2), T.int64(20), T.int64(8)):
                with T.sblock("product"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    with T.init():
                        out[vi, vj] = 0
                    out[vi, vj] = out[vi, vj] + T.Cast("int32", A[vi, vk]) * T.Cast("int32", B[vk // 4, vj * 4 + vk % 4])


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def in_place(A: T.Buffer((T.int64(2), T.int64(8)), "uint8"), B: T.Buffer((T.int64(2), T.int64(80)), "int8"), out: T.Buffer((T.int64(2), T.int64(20)), "int32")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            sums = T.alloc_local((T.int64(2), T.int64(32)), "int32")
            for r in T.unroll(T.int64(2)):
                for v in T.unroll(T.int64(2)):
                    for j in T.vectorized(T.int64(16)):
                        sums[r, v * 16 + j] = 0
            for k in T.unroll(T.int64(2)):
                for r in T.unroll(T.int64(2)):
                    for v in T.unroll(T.int64(2)):
                        sums[r, T.Ramp(v * 16, T.int64(1), 16)] = T.dp4a(A[r, T.Ramp(k * 4, T.int64(1), 4)], T.if_then_else(T.Ramp(T.int64(0), T.int64(1), 64) < T.Broadcast((20 - v * 16) * 4, 64), B[k, T.Ramp(v * 64, T.int64(1), 64)], T.Broadcast(T.int8(0), 64)), sums[r, T.Ramp(v * 16, T.int64(1), 16)])
            for r in T.unroll(T.int64(2)):
                for v in T.unroll(T.int64(2)):
                    for j in T.vectorized(T.int64(16)):
                        if v * 16 + j < 20:
                            out[r, v * 16 + j] = sums[r, v * 16 + j]

    @T.prim_func(private=True)
    def packed(A: T.Buffer((T.int64(8), T.int64(8)), "uint8"), B: T.Buffer((T.int64(8), T.int64(20)), "int8"), out: T.Buffer((T.int64(8), T.int64(20)), "int32")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            packed = T.alloc_local((T.int64(2), T.int64(128)), "int8")
            for k in T.unroll(T.int64(2)):
                for v in T.unroll(T.int64(2)):
                    packed[k, T.Ramp(v * 16 * 4, T.int64(1), 64)] = T.Shuffle([T.Shuffle([T.if_then_else(T.Ramp(T.int64(0), T.int64(1), 16) < T.Broadcast(20 - v * 16, 16), B[k * 4, T.Ramp(v * 16, T.int64(1), 16)], T.Broadcast(T.int8(0), 16)), T.if_then_else(T.Ramp(T.int64(0), T.int64(1), 16) < T.Broadcast(20 - v * 16, 16), B[k * 4 + 1, T.Ramp(v * 16, T.int64(1), 16)], T.Broadcast(T.int8(0), 16))], [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31]), T.Shuffle([T.if_then_else(T.Ramp(T.int64(0), T.int64(1), 16) < T.Broadcast(20 - v * 16, 16), B[k * 4 + 2, T.Ramp(v * 16, T.int64(1), 16)], T.Broadcast(T.int8(0), 16)), T.if_then_else(T.Ramp(T.int64(0), T.int64(1), 16) < T.Broadcast(20 - v * 16, 16), B[k * 4 + 3, T.Ramp(v * 16, T.int64(1), 16)], T.Broadcast(T.int8(0), 16))], [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31])], [0, 1, 32, 33, 2, 3, 34, 35, 4, 5, 36, 37, 6, 7, 38, 39, 8, 9, 40, 41, 10, 11, 42, 43, 12, 13, 44, 45, 14, 15, 46, 47, 16, 17, 48, 49, 18, 19, 50, 51, 20, 21, 52, 53, 22, 23, 54, 55, 24, 25, 56, 57, 26, 27, 58, 59, 28, 29, 60, 61, 30, 31, 62, 63])
            sums = T.alloc_local((T.int64(8), T.int64(32)), "int32")
            for r in T.unroll(T.int64(8)):
                for v in T.unroll(T.int64(2)):
                    for j in T.vectorized(T.int64(16)):
                        sums[r, v * 16 + j] = 0
            for k in T.unroll(T.int64(2)):
                for r in T.unroll(T.int64(8)):
                    for v in T.unroll(T.int64(2)):
                        sums[r, T.Ramp(v * 16, T.int64(1), 16)] = T.dp4a(A[r, T.Ramp(k * 4, T.int64(1), 4)], packed[k, T.Ramp(v * 16 * 4, T.int64(1), 64)], sums[r, T.Ramp(v * 16, T.int64(1), 16)])
            for r in T.unroll(T.int64(8)):
                for v in T.unroll(T.int64(2)):
                    for j in T.vectorized(T.int64(16)):
                        if v * 16 + j < 20:
                            out[r, v * 16 + j] = sums[r, v * 16 + j]
