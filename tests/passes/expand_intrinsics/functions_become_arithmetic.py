# Tests of floats and functions become arithmetic; what is used twice is bound.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T



@I.ir_module
class Before:
    @T.prim_func(private=True)
    def tests(A: T.Buffer((T.int64(16),), "float32"), out: T.Buffer((T.int64(16),), "bool")):
        for i in range(T.int64(16)):
            out[i] = T.isnan(A[i]) or T.isfinite(A[i])

    @T.prim_func(private=True)
    def functions(A: T.Buffer((T.int64(16),), "float32"), out: T.Buffer((T.int64(16),), "float32")):
        for i in range(T.int64(16)):
            out[i] = T.rsqrt(T.exp(A[i]))


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def functions(A: T.Buffer((T.int64(16),), "float32"), out: T.Buffer((T.int64(16),), "float32")):
        for i in range(T.int64(16)):
            out[i] = T.Let(T.float32(1.0) / T.sqrt(x), where={x: T.Let(T.Let(T.Let(T.Let(T.Let(T.scalb((((((T.float32(0.0013814540026601992) * t_3 + T.float32(0.008368745112583682)) * t_3 + T.float32(0.04166839078656799)) * t_3 + T.float32(0.16666520399003015)) * t_3 + T.float32(0.49999993432114603)) * t_3 + T.float32(1.0)) * t_3 + T.float32(1.0), t_2), where={t_3: t_1 - t_2 * T.float32(0.693359375) - t_2 * T.float32(-0.00021219444005469057)}), where={t_2: t_1 * T.float32(1.4426950408889634) + T.float32(12582912.0) - T.float32(12582912.0)}), where={t_1: T.Select(t < T.float32(-104.0), T.float32(-104.0), t)}), where={t: T.Select(x > T.float32(89.0), T.float32(89.0), x)}), where={x: A[i]})})

    @T.prim_func(private=True)
    def tests(A: T.Buffer((T.int64(16),), "float32"), out: T.Buffer((T.int64(16),), "bool")):
        for i in range(T.int64(16)):
            out[i] = T.Let(x != x, where={x: A[i]}) or T.Let(T.fabs(x) < T.float32("inf"), where={x: A[i]})
