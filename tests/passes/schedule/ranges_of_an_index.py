# A concatenation becomes a copy for each input, without a choice for each element.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def join(A: T.Buffer((T.int64(2), T.int64(16)), "float32"), B: T.Buffer((T.int64(2), T.int64(20)), "float32"), out: T.Buffer((T.int64(2), T.int64(36)), "float32")):
        with T.sblock("root"):
            for i, j in T.grid(T.int64(2), T.int64(36)):
                with T.sblock("join"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    out[vi, vj] = T.if_then_else(vj < T.int64(16), A[vi, vj], B[vi, vj - T.int64(16)])


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def join(A: T.Buffer((T.int64(2), T.int64(16)), "float32"), B: T.Buffer((T.int64(2), T.int64(20)), "float32"), out: T.Buffer((T.int64(2), T.int64(36)), "float32")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            for i in range(T.min(455, T.Sub(T.int64(2), T.int64(0)))):
                for j_lane in T.vectorized(T.int64(16)):
                    out[i, j_lane] = A[i, j_lane]
                for j_lane in T.vectorized(T.int64(16)):
                    out[i, j_lane + 16] = B[i, j_lane]
                for j_lane in T.vectorized(T.int64(16)):
                    if 16 + j_lane < 20:
                        out[i, 16 + j_lane + 16] = B[i, 16 + j_lane]
