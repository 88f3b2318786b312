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
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v4 -mattr=+avx512vnni -l1-cache=49152 -l2-cache=1048576"})
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
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v4 -mattr=+avx512vnni -l1-cache=49152 -l2-cache=1048576"})
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
        # with T.sblock("root"):
        for i, j, k in T.grid(T.int64(8), T.int64(20), T.int64(8)):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads(A[vi, vk], B[vk, vj])
                T.writes(out[vi, vj])
                with T.init():
                    out[vi, vj] = 0
                out[vi, vj] = out[vi, vj] + T.Cast("int32", A[vi, vk]) * T.Cast("int32", B[vk, vj])

