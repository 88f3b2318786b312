# A row of whole vectors is kept also of a buffer that has a dimension of one element before it.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def nn_softmax(A: T.Buffer((T.int64(2), T.int64(1), T.int64(5)), "float32"), T_softmax_norm: T.Buffer((T.int64(2), T.int64(1), T.int64(5)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_softmax_maxelem = T.sblock_alloc_buffer((T.int64(2), T.int64(1)))
        T_softmax_expsum = T.sblock_alloc_buffer((T.int64(2), T.int64(1)))
        T_softmax_exp = T.sblock_alloc_buffer((T.int64(2), T.int64(1), T.int64(5)))
        for i0, i1, k2 in T.grid(T.int64(2), T.int64(1), T.int64(5)):
            with T.sblock("T_softmax_maxelem"):
                v0, v1, v2 = T.axis.remap("SSR", [i0, i1, k2])
                T.reads(A[v0, v1, v2])
                T.writes(T_softmax_maxelem[v0, v1])
                with T.init():
                    T_softmax_maxelem[v0, v1] = T.float32("-inf")
                T_softmax_maxelem[v0, v1] = T.max(T_softmax_maxelem[v0, v1], A[v0, v1, v2])
        for i0, i1, i2 in T.grid(T.int64(2), T.int64(1), T.int64(5)):
            with T.sblock("T_softmax_exp"):
                v0, v1, v2 = T.axis.remap("SSS", [i0, i1, i2])
                T.reads(A[v0, v1, v2], T_softmax_maxelem[v0, v1])
                T.writes(T_softmax_exp[v0, v1, v2])
                T_softmax_exp[v0, v1, v2] = T.exp(A[v0, v1, v2] - T_softmax_maxelem[v0, v1])
        for i0, i1, k2 in T.grid(T.int64(2), T.int64(1), T.int64(5)):
            with T.sblock("T_softmax_expsum"):
                v0, v1, v2 = T.axis.remap("SSR", [i0, i1, k2])
                T.reads(T_softmax_exp[v0, v1, v2])
                T.writes(T_softmax_expsum[v0, v1])
                with T.init():
                    T_softmax_expsum[v0, v1] = T.float32(0.0)
                T_softmax_expsum[v0, v1] = T_softmax_expsum[v0, v1] + T_softmax_exp[v0, v1, v2]
        for i0, i1, i2 in T.grid(T.int64(2), T.int64(1), T.int64(5)):
            with T.sblock("T_softmax_norm"):
                v0, v1, v2 = T.axis.remap("SSS", [i0, i1, i2])
                T.reads(T_softmax_exp[v0, v1, v2], T_softmax_expsum[v0, v1])
                T.writes(T_softmax_norm[v0, v1, v2])
                T_softmax_norm[v0, v1, v2] = T_softmax_exp[v0, v1, v2] / T_softmax_expsum[v0, v1]


@I.ir_module
class Expected:
    @T.prim_func
    def nn_softmax(A: T.Buffer((T.int64(2), T.int64(1), T.int64(5)), "float32"), T_softmax_norm: T.Buffer((T.int64(2), T.int64(1), T.int64(5)), "float32")):
        T.func_attr({"tirx.noalias": True})
        with T.sblock("root"):
            T.reads()
            T.writes()
            for row in range(T.int64(2)):
                T_softmax_expsum_row = T.alloc_local((T.int64(1),))
                T_softmax_exp_row = T.alloc_local((T.int64(1), T.int64(16)))
                T_softmax_maxelem_row = T.alloc_local((T.int64(1),))
                with T.alloc_local((T.int64(1), T.int64(16))) as lanes:
                    for j in T.vectorized(T.int64(16)):
                        lanes[T.int64(0), j] = T.Select(j < 5, T.if_then_else(j < 5, A[row, T.int64(0), j], T.float32(0.0)), T.float32("-inf"))
                    for j in T.vectorized(T.int64(8)):
                        lanes[T.int64(0), j] = T.max(lanes[T.int64(0), j], lanes[T.int64(0), j + 8])
                    for j in T.vectorized(T.int64(4)):
                        lanes[T.int64(0), j] = T.max(lanes[T.int64(0), j], lanes[T.int64(0), j + 4])
                    for j in T.vectorized(T.int64(2)):
                        lanes[T.int64(0), j] = T.max(lanes[T.int64(0), j], lanes[T.int64(0), j + 2])
                    lanes[T.int64(0), T.int64(0)] = T.max(lanes[T.int64(0), T.int64(0)], lanes[T.int64(0), T.int64(1)])
                    T_softmax_maxelem_row[T.int64(0)] = lanes[T.int64(0), T.int64(0)]
                for j in T.vectorized(T.int64(16)):
                    T_softmax_exp_row[T.int64(0), j] = T.exp(T.if_then_else(j < 5, A[row, T.int64(0), j], T.float32(0.0)) - T_softmax_maxelem_row[T.int64(0)])
                with T.alloc_local((T.int64(1), T.int64(16))) as lanes:
                    for j in T.vectorized(T.int64(16)):
                        lanes[T.int64(0), j] = T.Select(j < 5, T_softmax_exp_row[T.int64(0), j], T.float32(0.0))
                    for j in T.vectorized(T.int64(8)):
                        lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 8]
                    for j in T.vectorized(T.int64(4)):
                        lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 4]
                    for j in T.vectorized(T.int64(2)):
                        lanes[T.int64(0), j] = lanes[T.int64(0), j] + lanes[T.int64(0), j + 2]
                    lanes[T.int64(0), T.int64(0)] = lanes[T.int64(0), T.int64(0)] + lanes[T.int64(0), T.int64(1)]
                    T_softmax_expsum_row[T.int64(0)] = lanes[T.int64(0), T.int64(0)]
                reciprocal = T.alloc_local((T.int64(1),))
                reciprocal[T.int64(0)] = T.float32(1.0) / T_softmax_expsum_row[T.int64(0)]
                if T.fabs(T_softmax_expsum_row[T.int64(0)]) >= T.float32(1.1754943508222875e-38) and T.fabs(T_softmax_expsum_row[T.int64(0)]) <= T.float32(8.507059173023462e+37):
                    for j in T.vectorized(T.int64(16)):
                        if j < 5:
                            T_softmax_norm[row, T.int64(0), j] = T_softmax_exp_row[T.int64(0), j] * reciprocal[T.int64(0)]
                else:
                    for j in T.vectorized(T.int64(16)):
                        if j < 5:
                            T_softmax_norm[row, T.int64(0), j] = T_softmax_exp_row[T.int64(0), j] / T_softmax_expsum_row[T.int64(0)]
