# Rows of two vectors stay in registers, four rows at a time, and those that are left one by one.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def main(A: T.Buffer((T.int64(5), T.int64(20)), "float32"), out: T.Buffer((T.int64(5), T.int64(20)), "float32")):
        total = T.sblock_alloc_buffer((T.int64(5),), "float32")
        for i, k in T.grid(T.int64(5), T.int64(20)):
            with T.sblock("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + A[vi, vk]
        for i, j in T.grid(T.int64(5), T.int64(20)):
            with T.sblock("out"):
                vi, vj = T.axis.remap("SS", [i, j])
                out[vi, vj] = A[vi, vj] * total[vi]


@I.ir_module
class Expected:
    @T.prim_func
    def main(A: T.Buffer((T.int64(5), T.int64(20)), "float32"), out: T.Buffer((T.int64(5), T.int64(20)), "float32")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            for rows in range(T.min(204, T.Sub(T.int64(1), T.int64(0)))):
                total_row = T.alloc_local((T.int64(1),))
                total_row_1 = T.alloc_local((T.int64(1),))
                total_row_2 = T.alloc_local((T.int64(1),))
                total_row_3 = T.alloc_local((T.int64(1),))
                with T.alloc_local((T.int64(1), T.int64(16))) as lanes:
                    for j in T.vectorized(T.int64(16)):
                        lanes[T.int64(0), j] = A[rows * 4, j] + T.Select(16 + j < 20, T.if_then_else(16 + j < 20, A[rows * 4, 16 + j], T.float32(0.0)), T.float32(0.0))
                    for j in T.vectorized(T.int64(8)):
                        lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 8]
                    for j in T.vectorized(T.int64(4)):
                        lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 4]
                    for j in T.vectorized(T.int64(2)):
                        lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 2]
                    lanes[T.int64(0), T.int64(0)] = lanes[T.int64(0), T.int64(0)] + lanes[T.int64(0), T.int64(1)]
                    total_row_3[T.int64(0)] = lanes[T.int64(0), T.int64(0)]
                with T.alloc_local((T.int64(1), T.int64(16))) as lanes:
                    for j in T.vectorized(T.int64(16)):
                        lanes[T.int64(0), j] = A[rows * 4 + 1, j] + T.Select(16 + j < 20, T.if_then_else(16 + j < 20, A[rows * 4 + 1, 16 + j], T.float32(0.0)), T.float32(0.0))
                    for j in T.vectorized(T.int64(8)):
                        lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 8]
                    for j in T.vectorized(T.int64(4)):
                        lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 4]
                    for j in T.vectorized(T.int64(2)):
                        lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 2]
                    lanes[T.int64(0), T.int64(0)] = lanes[T.int64(0), T.int64(0)] + lanes[T.int64(0), T.int64(1)]
                    total_row_2[T.int64(0)] = lanes[T.int64(0), T.int64(0)]
                with T.alloc_local((T.int64(1), T.int64(16))) as lanes:
                    for j in T.vectorized(T.int64(16)):
                        lanes[T.int64(0), j] = A[rows * 4 + 2, j] + T.Select(16 + j < 20, T.if_then_else(16 + j < 20, A[rows * 4 + 2, 16 + j], T.float32(0.0)), T.float32(0.0))
                    for j in T.vectorized(T.int64(8)):
                        lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 8]
                    for j in T.vectorized(T.int64(4)):
                        lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 4]
                    for j in T.vectorized(T.int64(2)):
                        lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 2]
                    lanes[T.int64(0), T.int64(0)] = lanes[T.int64(0), T.int64(0)] + lanes[T.int64(0), T.int64(1)]
                    total_row_1[T.int64(0)] = lanes[T.int64(0), T.int64(0)]
                with T.alloc_local((T.int64(1), T.int64(16))) as lanes:
                    for j in T.vectorized(T.int64(16)):
                        lanes[T.int64(0), j] = A[rows * 4 + 3, j] + T.Select(16 + j < 20, T.if_then_else(16 + j < 20, A[rows * 4 + 3, 16 + j], T.float32(0.0)), T.float32(0.0))
                    for j in T.vectorized(T.int64(8)):
                        lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 8]
                    for j in T.vectorized(T.int64(4)):
                        lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 4]
                    for j in T.vectorized(T.int64(2)):
                        lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 2]
                    lanes[T.int64(0), T.int64(0)] = lanes[T.int64(0), T.int64(0)] + lanes[T.int64(0), T.int64(1)]
                    total_row[T.int64(0)] = lanes[T.int64(0), T.int64(0)]
                for j in T.vectorized(T.int64(16)):
                    out[rows * 4, j] = A[rows * 4, j] * total_row_3[T.int64(0)]
                for j in T.vectorized(T.int64(16)):
                    if 16 + j < 20:
                        out[rows * 4, 16 + j] = T.if_then_else(16 + j < 20, A[rows * 4, 16 + j], T.float32(0.0)) * total_row_3[T.int64(0)]
                for j in T.vectorized(T.int64(16)):
                    out[rows * 4 + 1, j] = A[rows * 4 + 1, j] * total_row_2[T.int64(0)]
                for j in T.vectorized(T.int64(16)):
                    if 16 + j < 20:
                        out[rows * 4 + 1, 16 + j] = T.if_then_else(16 + j < 20, A[rows * 4 + 1, 16 + j], T.float32(0.0)) * total_row_2[T.int64(0)]
                for j in T.vectorized(T.int64(16)):
                    out[rows * 4 + 2, j] = A[rows * 4 + 2, j] * total_row_1[T.int64(0)]
                for j in T.vectorized(T.int64(16)):
                    if 16 + j < 20:
                        out[rows * 4 + 2, 16 + j] = T.if_then_else(16 + j < 20, A[rows * 4 + 2, 16 + j], T.float32(0.0)) * total_row_1[T.int64(0)]
                for j in T.vectorized(T.int64(16)):
                    out[rows * 4 + 3, j] = A[rows * 4 + 3, j] * total_row[T.int64(0)]
                for j in T.vectorized(T.int64(16)):
                    if 16 + j < 20:
                        out[rows * 4 + 3, 16 + j] = T.if_then_else(16 + j < 20, A[rows * 4 + 3, 16 + j], T.float32(0.0)) * total_row[T.int64(0)]
            total_row = T.alloc_local((T.int64(1),))
            with T.alloc_local((T.int64(1), T.int64(16))) as lanes:
                for j in T.vectorized(T.int64(16)):
                    lanes[T.int64(0), j] = A[T.int64(4), j] + T.Select(16 + j < 20, T.if_then_else(16 + j < 20, A[T.int64(4), 16 + j], T.float32(0.0)), T.float32(0.0))
                for j in T.vectorized(T.int64(8)):
                    lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 8]
                for j in T.vectorized(T.int64(4)):
                    lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 4]
                for j in T.vectorized(T.int64(2)):
                    lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 2]
                lanes[T.int64(0), T.int64(0)] = lanes[T.int64(0), T.int64(0)] + lanes[T.int64(0), T.int64(1)]
                total_row[T.int64(0)] = lanes[T.int64(0), T.int64(0)]
            for j in T.vectorized(T.int64(16)):
                out[T.int64(4), j] = A[T.int64(4), j] * total_row[T.int64(0)]
            for j in T.vectorized(T.int64(16)):
                if 16 + j < 20:
                    out[T.int64(4), 16 + j] = T.if_then_else(16 + j < 20, A[T.int64(4), 16 + j], T.float32(0.0)) * total_row[T.int64(0)]
