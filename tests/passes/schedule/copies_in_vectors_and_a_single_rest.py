# Where lanes read apart and a run says how many there are, what fills no vector is computed one by one: a mask would take
# a branch for each lane.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def main(p_A: T.handle, p_out: T.handle):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v3", "tirx.noalias": True})
        n = T.int64()
        A = T.match_buffer(p_A, (n,))
        out = T.match_buffer(p_out, (n * T.int64(2),))
        with T.sblock("root"):
            for i in range(n * T.int64(2)):
                with T.sblock("out"):
                    vi = T.axis.spatial(n * T.int64(2), i)
                    out[vi] = A[vi // T.int64(2)]


@I.ir_module
class Expected:
    @T.prim_func
    def main(p_A: T.handle, p_out: T.handle):
        T.func_attr({"form_target": "llvm -mcpu=x86-64-v3", "tirx.noalias": True})
        n = T.int64()
        A = T.match_buffer(p_A, (n,))
        out = T.match_buffer(p_out, (n * 2,))
        with T.sblock("root"):
            T.reads()
            T.writes()
            with T.attr(None, "parallel_if", n * 2 >= 65536):
                for chunk in T.parallel((n * 2 + 16383) // 16384):
                    for i in range(T.min(16384, n * 2 - chunk * 16384) // 8):
                        for i_lane in T.vectorized(T.int64(8)):
                            out[chunk * 16384 + (i * 8 + i_lane)] = A[(chunk * 16384 + (i * 8 + i_lane)) // 2]
                    for i in range(T.min(16384, n * 2 - chunk * 16384) - T.min(16384, n * 2 - chunk * 16384) // 8 * 8):
                        out[chunk * 16384 + T.min(16384, n * 2 - chunk * 16384) // 8 * 8 + i] = A[(chunk * 16384 + T.min(16384, n * 2 - chunk * 16384) // 8 * 8 + i) // 2]

