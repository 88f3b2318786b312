# Rows of a length that a run says, whose reductions have initialisations of their own, are one loop; the exponentials
# of what is at most 0 are `exp_at_most_one`, two vectors together.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def main(p_A: T.handle, p_out: T.handle):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v3", "tirx.noalias": True})
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(p_A, (n, m))
        out = T.match_buffer(p_out, (n, m))
        with T.sblock("root"):
            top = T.sblock_alloc_buffer((n,))
            total = T.sblock_alloc_buffer((n,))
            exps = T.sblock_alloc_buffer((n, m))
            for i in range(n):
                with T.sblock("top_init"):
                    vi = T.axis.spatial(n, i)
                    top[vi] = T.float32("-inf")
            for i, k in T.grid(n, m):
                with T.sblock("top"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    top[vi] = T.max(top[vi], A[vi, vk])
            for i, j in T.grid(n, m):
                with T.sblock("exps"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    exps[vi, vj] = T.exp(A[vi, vj] - top[vi])
            for i in range(n):
                with T.sblock("total_init"):
                    vi = T.axis.spatial(n, i)
                    total[vi] = T.float32(0.0)
            for i, k in T.grid(n, m):
                with T.sblock("total"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    total[vi] = total[vi] + exps[vi, vk]
            for i, j in T.grid(n, m):
                with T.sblock("out"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    out[vi, vj] = exps[vi, vj] / total[vi]


@I.ir_module
class Expected:
    @T.prim_func
    def main(p_A: T.handle, p_out: T.handle):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v3", "tirx.noalias": True})
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(p_A, (n, m))
        out = T.match_buffer(p_out, (n, m))
        with T.sblock("root"):
            T.reads()
            T.writes()
            with T.attr(None, "parallel_if", n // 1 * m >= 65536):
                for chunk in T.parallel(n // 1):
                    total_row = T.alloc_local((T.int64(1),))
                    top_row = T.alloc_local((T.int64(1),))
                    with T.alloc_local((T.int64(4), T.int64(8))) as acc:
                        for u in T.unroll(T.int64(4)):
                            for j in T.vectorized(T.int64(8)):
                                acc[u, j] = T.float32("-inf")
                        for block in range(m // 32):
                            for u in T.unroll(T.int64(4)):
                                for j in T.vectorized(T.int64(8)):
                                    acc[u, j] = T.max(acc[u, j], A[chunk, (block * 4 + u) * 8 + j])
                        for vector in range(m // 8 - m // 32 * 4):
                            for j in T.vectorized(T.int64(8)):
                                acc[T.int64(0), j] = T.max(acc[T.int64(0), j], A[chunk, (m // 32 * 4 + vector) * 8 + j])
                        if m // 8 * 8 < m:
                            for j in T.vectorized(T.int64(8)):
                                acc[T.int64(0), j] = T.max(acc[T.int64(0), j], T.if_then_else(m // 8 * 8 + j < m, A[chunk, m // 8 * 8 + j], T.float32("-inf")))
                        lanes = T.alloc_local((T.int64(1), T.int64(8)))
                        for j in T.vectorized(T.int64(8)):
                            lanes[T.int64(0), j] = T.max(T.max(T.max(acc[T.int64(0), j], acc[T.int64(1), j]), acc[T.int64(2), j]), acc[T.int64(3), j])
                        for j in T.vectorized(T.int64(4)):
                            lanes[T.int64(0), j] = T.max(lanes[T.int64(0), j], lanes[T.int64(0), j + 4])
                        for j in T.vectorized(T.int64(2)):
                            lanes[T.int64(0), j] = T.max(lanes[T.int64(0), j], lanes[T.int64(0), j + 2])
                        lanes[T.int64(0), T.int64(0)] = T.max(lanes[T.int64(0), T.int64(0)], lanes[T.int64(0), T.int64(1)])
                        top_row[T.int64(0)] = lanes[T.int64(0), T.int64(0)]
                    with T.alloc_local((T.int64(1), T.int64(16))) as acc:
                        for j in T.vectorized(T.int64(16)):
                            acc[T.int64(0), j] = T.float32(0.0)
                        for block in range(m // 16):
                            T.prefetch(T.address_of(A[T.min(chunk + 1, n - 1), block * 16]), 0, 3, 1)
                            for j in T.vectorized(T.int64(16)):
                                acc[T.int64(0), j] = acc[T.int64(0), j] + T.exp_at_most_one(A[chunk, block * 16 + j] - top_row[T.int64(0)])
                            for j in T.vectorized(T.int64(16)):
                                out[chunk, block * 16 + j] = T.exp_at_most_one(A[chunk, block * 16 + j] - top_row[T.int64(0)])
                        for vector in range(m // 8 - m // 16 * 2):
                            T.prefetch(T.address_of(A[T.min(chunk + 1, n - 1), (m // 16 * 2 + vector) * 8]), 0, 3, 1)
                            for j in T.vectorized(T.int64(8)):
                                acc[T.int64(0), j] = acc[T.int64(0), j] + T.exp_at_most_one(A[chunk, (m // 16 * 2 + vector) * 8 + j] - top_row[T.int64(0)])
                            for j in T.vectorized(T.int64(8)):
                                out[chunk, (m // 16 * 2 + vector) * 8 + j] = T.exp_at_most_one(A[chunk, (m // 16 * 2 + vector) * 8 + j] - top_row[T.int64(0)])
                        if m // 8 * 8 < m:
                            for j in T.vectorized(T.int64(8)):
                                acc[T.int64(0), j] = acc[T.int64(0), j] + T.if_then_else(m // 8 * 8 + j < m, T.exp_at_most_one(A[chunk, m // 8 * 8 + j] - top_row[T.int64(0)]), T.float32(0.0))
                            for j in T.vectorized(T.int64(8)):
                                if m // 8 * 8 + j < m:
                                    out[chunk, m // 8 * 8 + j] = T.exp_at_most_one(A[chunk, m // 8 * 8 + j] - top_row[T.int64(0)])
                        lanes = T.alloc_local((T.int64(1), T.int64(16)))
                        for j in T.vectorized(T.int64(16)):
                            lanes[T.int64(0), j] = acc[T.int64(0), j]
                        for j in T.vectorized(T.int64(8)):
                            lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 8]
                        for j in T.vectorized(T.int64(4)):
                            lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 4]
                        for j in T.vectorized(T.int64(2)):
                            lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 2]
                        lanes[T.int64(0), T.int64(0)] = lanes[T.int64(0), T.int64(0)] + lanes[T.int64(0), T.int64(1)]
                        total_row[T.int64(0)] = lanes[T.int64(0), T.int64(0)]
                    reciprocal = T.alloc_local((T.int64(1),))
                    reciprocal[T.int64(0)] = T.float32(1.0) / total_row[T.int64(0)]
                    if T.fabs(total_row[T.int64(0)]) >= T.float32(1.1754943508222875e-38) and T.fabs(total_row[T.int64(0)]) <= T.float32(8.507059173023462e+37):
                        for j in range(m // 8):
                            for j_lane in T.vectorized(T.int64(8)):
                                out[chunk, j * 8 + j_lane] = out[chunk, j * 8 + j_lane] * reciprocal[T.int64(0)]
                        if m // 8 * 8 < m:
                            for j_lane in T.vectorized(T.int64(8)):
                                if m // 8 * 8 + j_lane < m:
                                    out[chunk, m // 8 * 8 + j_lane] = out[chunk, m // 8 * 8 + j_lane] * reciprocal[T.int64(0)]
                    else:
                        for j in range(m // 8):
                            for j_lane in T.vectorized(T.int64(8)):
                                out[chunk, j * 8 + j_lane] = out[chunk, j * 8 + j_lane] / total_row[T.int64(0)]
                        if m // 8 * 8 < m:
                            for j_lane in T.vectorized(T.int64(8)):
                                if m // 8 * 8 + j_lane < m:
                                    out[chunk, m // 8 * 8 + j_lane] = out[chunk, m // 8 * 8 + j_lane] / total_row[T.int64(0)]

