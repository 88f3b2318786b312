# Does nothing when what is subtracted is the maximum of other elements: the exponential may be above 1.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def main(
        A: T.Buffer((T.int64(4), T.int64(16)), "float32"),
        B: T.Buffer((T.int64(4), T.int64(16)), "float32"),
        out: T.Buffer((T.int64(4), T.int64(16)), "float32"),
    ):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v3"})
        with T.sblock("root"):
            top = T.sblock_alloc_buffer((T.int64(4),), "float32")
            for i, k in T.grid(T.int64(4), T.int64(16)):
                with T.sblock("top"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    with T.init():
                        top[vi] = T.float32("-inf")
                    top[vi] = T.max(top[vi], B[vi, vk])
            for i, j in T.grid(T.int64(4), T.int64(16)):
                with T.sblock("out"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    out[vi, vj] = T.exp(A[vi, vj] - top[vi])


@I.ir_module
class Expected:
    @T.prim_func
    def main(A: T.Buffer((T.int64(4), T.int64(16)), "float32"), B: T.Buffer((T.int64(4), T.int64(16)), "float32"), out: T.Buffer((T.int64(4), T.int64(16)), "float32")):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v3"})
        with T.sblock("root"):
            T.reads()
            T.writes()
            for rows in range(T.min(256, T.Sub(T.int64(1), T.int64(0)))):
                top_row = T.alloc_local((T.int64(1),))
                top_row_1 = T.alloc_local((T.int64(1),))
                top_row_2 = T.alloc_local((T.int64(1),))
                top_row_3 = T.alloc_local((T.int64(1),))
                with T.alloc_local((T.int64(1), T.int64(8))) as lanes:
                    for j in T.vectorized(T.int64(8)):
                        lanes[T.int64(0), j] = T.max(B[rows * 4, j], B[rows * 4, 8 + j])
                    for j in T.vectorized(T.int64(4)):
                        lanes[T.int64(0), j] = T.max(lanes[T.int64(0), j], lanes[T.int64(0), j + 4])
                    for j in T.vectorized(T.int64(2)):
                        lanes[T.int64(0), j] = T.max(lanes[T.int64(0), j], lanes[T.int64(0), j + 2])
                    lanes[T.int64(0), T.int64(0)] = T.max(lanes[T.int64(0), T.int64(0)], lanes[T.int64(0), T.int64(1)])
                    top_row_3[T.int64(0)] = lanes[T.int64(0), T.int64(0)]
                with T.alloc_local((T.int64(1), T.int64(8))) as lanes:
                    for j in T.vectorized(T.int64(8)):
                        lanes[T.int64(0), j] = T.max(B[rows * 4 + 1, j], B[rows * 4 + 1, 8 + j])
                    for j in T.vectorized(T.int64(4)):
                        lanes[T.int64(0), j] = T.max(lanes[T.int64(0), j], lanes[T.int64(0), j + 4])
                    for j in T.vectorized(T.int64(2)):
                        lanes[T.int64(0), j] = T.max(lanes[T.int64(0), j], lanes[T.int64(0), j + 2])
                    lanes[T.int64(0), T.int64(0)] = T.max(lanes[T.int64(0), T.int64(0)], lanes[T.int64(0), T.int64(1)])
                    top_row_2[T.int64(0)] = lanes[T.int64(0), T.int64(0)]
                with T.alloc_local((T.int64(1), T.int64(8))) as lanes:
                    for j in T.vectorized(T.int64(8)):
                        lanes[T.int64(0), j] = T.max(B[rows * 4 + 2, j], B[rows * 4 + 2, 8 + j])
                    for j in T.vectorized(T.int64(4)):
                        lanes[T.int64(0), j] = T.max(lanes[T.int64(0), j], lanes[T.int64(0), j + 4])
                    for j in T.vectorized(T.int64(2)):
                        lanes[T.int64(0), j] = T.max(lanes[T.int64(0), j], lanes[T.int64(0), j + 2])
                    lanes[T.int64(0), T.int64(0)] = T.max(lanes[T.int64(0), T.int64(0)], lanes[T.int64(0), T.int64(1)])
                    top_row_1[T.int64(0)] = lanes[T.int64(0), T.int64(0)]
                with T.alloc_local((T.int64(1), T.int64(8))) as lanes:
                    for j in T.vectorized(T.int64(8)):
                        lanes[T.int64(0), j] = T.max(B[rows * 4 + 3, j], B[rows * 4 + 3, 8 + j])
                    for j in T.vectorized(T.int64(4)):
                        lanes[T.int64(0), j] = T.max(lanes[T.int64(0), j], lanes[T.int64(0), j + 4])
                    for j in T.vectorized(T.int64(2)):
                        lanes[T.int64(0), j] = T.max(lanes[T.int64(0), j], lanes[T.int64(0), j + 2])
                    lanes[T.int64(0), T.int64(0)] = T.max(lanes[T.int64(0), T.int64(0)], lanes[T.int64(0), T.int64(1)])
                    top_row[T.int64(0)] = lanes[T.int64(0), T.int64(0)]
                for j in T.vectorized(T.int64(8)):
                    out[rows * 4, j] = T.exp(A[rows * 4, j] - top_row_3[T.int64(0)])
                for j in T.vectorized(T.int64(8)):
                    out[rows * 4, 8 + j] = T.exp(A[rows * 4, 8 + j] - top_row_3[T.int64(0)])
                for j in T.vectorized(T.int64(8)):
                    out[rows * 4 + 1, j] = T.exp(A[rows * 4 + 1, j] - top_row_2[T.int64(0)])
                for j in T.vectorized(T.int64(8)):
                    out[rows * 4 + 1, 8 + j] = T.exp(A[rows * 4 + 1, 8 + j] - top_row_2[T.int64(0)])
                for j in T.vectorized(T.int64(8)):
                    out[rows * 4 + 2, j] = T.exp(A[rows * 4 + 2, j] - top_row_1[T.int64(0)])
                for j in T.vectorized(T.int64(8)):
                    out[rows * 4 + 2, 8 + j] = T.exp(A[rows * 4 + 2, 8 + j] - top_row_1[T.int64(0)])
                for j in T.vectorized(T.int64(8)):
                    out[rows * 4 + 3, j] = T.exp(A[rows * 4 + 3, j] - top_row[T.int64(0)])
                for j in T.vectorized(T.int64(8)):
                    out[rows * 4 + 3, 8 + j] = T.exp(A[rows * 4 + 3, 8 + j] - top_row[T.int64(0)])

