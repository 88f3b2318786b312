# While the last sum of a long row is computed, the next row is fetched; then the row is multiplied by a reciprocal.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def main(A: T.Buffer((T.int64(64), T.int64(512)), "float32"), out: T.Buffer((T.int64(64), T.int64(512)), "float32")):
        top = T.sblock_alloc_buffer((T.int64(64),), "float32")
        total = T.sblock_alloc_buffer((T.int64(64),), "float32")
        for i, k in T.grid(T.int64(64), T.int64(512)):
            with T.sblock("top"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    top[vi] = T.float32(0)
                top[vi] = T.max(top[vi], A[vi, vk])
        for i, k in T.grid(T.int64(64), T.int64(512)):
            with T.sblock("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + A[vi, vk] * top[vi]
        for i, j in T.grid(T.int64(64), T.int64(512)):
            with T.sblock("out"):
                vi, vj = T.axis.remap("SS", [i, j])
                out[vi, vj] = A[vi, vj] / total[vi]


@I.ir_module
class Expected:
    @T.prim_func
    def main(A: T.Buffer((T.int64(64), T.int64(512)), "float32"), out: T.Buffer((T.int64(64), T.int64(512)), "float32")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            for chunk in range(T.int64(2)):
                for row in range(T.min(16, 32 - chunk * 16)):
                    total_row = T.alloc_local((T.int64(1),))
                    top_row = T.alloc_local((T.int64(1),))
                    total_row_1 = T.alloc_local((T.int64(1),))
                    top_row_1 = T.alloc_local((T.int64(1),))
                    with T.alloc_local((T.int64(4), T.int64(16))) as acc:
                        for u in T.unroll(T.int64(4)):
                            for j in T.vectorized(T.int64(16)):
                                acc[u, j] = T.float32(0.0)
                        for block in range(T.int64(8)):
                            for u in T.unroll(T.int64(4)):
                                for j in T.vectorized(T.int64(16)):
                                    acc[u, j] = T.max(acc[u, j], A[(chunk * 16 + row) * 2, (block * 4 + u) * 16 + j])
                        lanes = T.alloc_local((T.int64(1), T.int64(16)))
                        for j in T.vectorized(T.int64(16)):
                            lanes[T.int64(0), j] = T.max(T.max(T.max(acc[T.int64(0), j], acc[T.int64(1), j]), acc[T.int64(2), j]), acc[T.int64(3), j])
                        for j in T.vectorized(T.int64(8)):
                            lanes[T.int64(0), j] = T.max(lanes[T.int64(0), j], lanes[T.int64(0), j + 8])
                        for j in T.vectorized(T.int64(4)):
                            lanes[T.int64(0), j] = T.max(lanes[T.int64(0), j], lanes[T.int64(0), j + 4])
                        for j in T.vectorized(T.int64(2)):
                            lanes[T.int64(0), j] = T.max(lanes[T.int64(0), j], lanes[T.int64(0), j + 2])
                        lanes[T.int64(0), T.int64(0)] = T.max(lanes[T.int64(0), T.int64(0)], lanes[T.int64(0), T.int64(1)])
                        top_row_1[T.int64(0)] = lanes[T.int64(0), T.int64(0)]
                    with T.alloc_local((T.int64(4), T.int64(16))) as acc:
                        for u in T.unroll(T.int64(4)):
                            for j in T.vectorized(T.int64(16)):
                                acc[u, j] = T.float32(0.0)
                        for block in range(T.int64(8)):
                            for u in T.unroll(T.int64(4)):
                                for j in T.vectorized(T.int64(16)):
                                    acc[u, j] = T.max(acc[u, j], A[(chunk * 16 + row) * 2 + 1, (block * 4 + u) * 16 + j])
                        lanes = T.alloc_local((T.int64(1), T.int64(16)))
                        for j in T.vectorized(T.int64(16)):
                            lanes[T.int64(0), j] = T.max(T.max(T.max(acc[T.int64(0), j], acc[T.int64(1), j]), acc[T.int64(2), j]), acc[T.int64(3), j])
                        for j in T.vectorized(T.int64(8)):
                            lanes[T.int64(0), j] = T.max(lanes[T.int64(0), j], lanes[T.int64(0), j + 8])
                        for j in T.vectorized(T.int64(4)):
                            lanes[T.int64(0), j] = T.max(lanes[T.int64(0), j], lanes[T.int64(0), j + 4])
                        for j in T.vectorized(T.int64(2)):
                            lanes[T.int64(0), j] = T.max(lanes[T.int64(0), j], lanes[T.int64(0), j + 2])
                        lanes[T.int64(0), T.int64(0)] = T.max(lanes[T.int64(0), T.int64(0)], lanes[T.int64(0), T.int64(1)])
                        top_row[T.int64(0)] = lanes[T.int64(0), T.int64(0)]
                    with T.alloc_local((T.int64(4), T.int64(16))) as acc:
                        for u in T.unroll(T.int64(4)):
                            for j in T.vectorized(T.int64(16)):
                                acc[u, j] = T.float32(0.0)
                        for block in range(T.int64(8)):
                            for u in T.unroll(T.int64(4)):
                                T.prefetch(T.address_of(A[T.min((chunk * 16 + row) * 2 + 2, 63), (block * 4 + u) * 16]), 0, 3, 1)
                                for j in T.vectorized(T.int64(16)):
                                    acc[u, j] = acc[u, j] + A[(chunk * 16 + row) * 2, (block * 4 + u) * 16 + j] * top_row_1[T.int64(0)]
                        lanes = T.alloc_local((T.int64(1), T.int64(16)))
                        for j in T.vectorized(T.int64(16)):
                            lanes[T.int64(0), j] = acc[T.int64(0), j] + acc[T.int64(1), j] + acc[T.int64(2), j] + acc[T.int64(3), j]
                        for j in T.vectorized(T.int64(8)):
                            lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 8]
                        for j in T.vectorized(T.int64(4)):
                            lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 4]
                        for j in T.vectorized(T.int64(2)):
                            lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 2]
                        lanes[T.int64(0), T.int64(0)] = lanes[T.int64(0), T.int64(0)] + lanes[T.int64(0), T.int64(1)]
                        total_row_1[T.int64(0)] = lanes[T.int64(0), T.int64(0)]
                    with T.alloc_local((T.int64(4), T.int64(16))) as acc:
                        for u in T.unroll(T.int64(4)):
                            for j in T.vectorized(T.int64(16)):
                                acc[u, j] = T.float32(0.0)
                        for block in range(T.int64(8)):
                            for u in T.unroll(T.int64(4)):
                                T.prefetch(T.address_of(A[T.min((chunk * 16 + row) * 2 + 1 + 2, 63), (block * 4 + u) * 16]), 0, 3, 1)
                                for j in T.vectorized(T.int64(16)):
                                    acc[u, j] = acc[u, j] + A[(chunk * 16 + row) * 2 + 1, (block * 4 + u) * 16 + j] * top_row[T.int64(0)]
                        lanes = T.alloc_local((T.int64(1), T.int64(16)))
                        for j in T.vectorized(T.int64(16)):
                            lanes[T.int64(0), j] = acc[T.int64(0), j] + acc[T.int64(1), j] + acc[T.int64(2), j] + acc[T.int64(3), j]
                        for j in T.vectorized(T.int64(8)):
                            lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 8]
                        for j in T.vectorized(T.int64(4)):
                            lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 4]
                        for j in T.vectorized(T.int64(2)):
                            lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 2]
                        lanes[T.int64(0), T.int64(0)] = lanes[T.int64(0), T.int64(0)] + lanes[T.int64(0), T.int64(1)]
                        total_row[T.int64(0)] = lanes[T.int64(0), T.int64(0)]
                    with T.alloc_local((T.int64(1),)) as reciprocal:
                        reciprocal[T.int64(0)] = T.float32(1.0) / total_row_1[T.int64(0)]
                        if T.fabs(total_row_1[T.int64(0)]) >= T.float32(1.1754943508222875e-38) and T.fabs(total_row_1[T.int64(0)]) <= T.float32(8.507059173023462e+37):
                            for j in range(T.int64(32)):
                                for j_lane in T.vectorized(T.int64(16)):
                                    out[(chunk * 16 + row) * 2, j * 16 + j_lane] = A[(chunk * 16 + row) * 2, j * 16 + j_lane] * reciprocal[T.int64(0)]
                        else:
                            for j in range(T.int64(32)):
                                for j_lane in T.vectorized(T.int64(16)):
                                    out[(chunk * 16 + row) * 2, j * 16 + j_lane] = A[(chunk * 16 + row) * 2, j * 16 + j_lane] / total_row_1[T.int64(0)]
                    reciprocal = T.alloc_local((T.int64(1),))
                    reciprocal[T.int64(0)] = T.float32(1.0) / total_row[T.int64(0)]
                    if T.fabs(total_row[T.int64(0)]) >= T.float32(1.1754943508222875e-38) and T.fabs(total_row[T.int64(0)]) <= T.float32(8.507059173023462e+37):
                        for j in range(T.int64(32)):
                            for j_lane in T.vectorized(T.int64(16)):
                                out[(chunk * 16 + row) * 2 + 1, j * 16 + j_lane] = A[(chunk * 16 + row) * 2 + 1, j * 16 + j_lane] * reciprocal[T.int64(0)]
                    else:
                        for j in range(T.int64(32)):
                            for j_lane in T.vectorized(T.int64(16)):
                                out[(chunk * 16 + row) * 2 + 1, j * 16 + j_lane] = A[(chunk * 16 + row) * 2 + 1, j * 16 + j_lane] / total_row[T.int64(0)]
