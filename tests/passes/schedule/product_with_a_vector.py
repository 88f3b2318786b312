# The last dimension of one element goes, so that the products of a row with a vector add whole vectors.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def main(x: T.Buffer((3, 16), "float32"), v: T.Buffer((16, 1), "float32"), y: T.Buffer((3, 1), "float32")):
        for i, j, k in T.grid(3, 1, 16):
            with T.sblock("y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    y[vi, vj] = T.float32(0)
                y[vi, vj] = y[vi, vj] + x[vi, vk] * v[vk, vj]


@I.ir_module
class Expected:
    @T.prim_func
    def main(x: T.Buffer((3, 16), "float32"), v: T.Buffer((16, 1), "float32"), y: T.Buffer((3, 1), "float32")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            v_flat = T.decl_buffer((16,), data=v.data)
            y_flat = T.decl_buffer((3,), data=y.data)
            sums = T.alloc_local((T.int64(1), T.int64(48)))
            for o in T.unroll(T.int64(3)):
                for j in T.vectorized(T.int64(16)):
                    sums[T.int64(0), o * 16 + j] = T.float32(0.0)
            for o in T.unroll(T.int64(3)):
                for j in T.vectorized(T.int64(16)):
                    sums[T.int64(0), o * 16 + j] = sums[T.int64(0), o * 16 + j] + v_flat[T.Cast("int32", j)] * x[T.Cast("int32", o), T.Cast("int32", j)]
            results = T.alloc_local((T.int64(1), T.int64(16)))
            for o in T.unroll(T.int64(3)):
                for j in T.vectorized(T.int64(8)):
                    sums[T.int64(0), o * 16 + j] = sums[T.int64(0), o * 16 + j] + sums[T.int64(0), o * 16 + j + 8]
                for j in T.vectorized(T.int64(4)):
                    sums[T.int64(0), o * 16 + j] = sums[T.int64(0), o * 16 + j] + sums[T.int64(0), o * 16 + j + 4]
                for j in T.vectorized(T.int64(2)):
                    sums[T.int64(0), o * 16 + j] = sums[T.int64(0), o * 16 + j] + sums[T.int64(0), o * 16 + j + 2]
                sums[T.int64(0), o * 16] = sums[T.int64(0), o * 16] + sums[T.int64(0), o * 16 + 1]
                results[T.int64(0), o] = sums[T.int64(0), o * 16]
            for j in T.vectorized(T.int64(16)):
                if j < 3:
                    y_flat[T.Cast("int32", j)] = results[T.int64(0), j]
