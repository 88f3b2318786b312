# Vectors are expanded as vectors; narrow floats are computed in float32.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T



@I.ir_module
class Before:
    @T.prim_func(private=True)
    def half(A: T.Buffer((T.int64(16),), "float16"), out: T.Buffer((T.int64(16),), "float16")):
        out[T.int64(0):T.int64(16)] = T.rsqrt(A[T.int64(0):T.int64(16)])

    @T.prim_func(private=True)
    def tangents(A: T.Buffer((T.int64(8),), "float64"), out: T.Buffer((T.int64(8),), "float64")):
        out[T.int64(0):T.int64(8)] = T.tanh(A[T.int64(0):T.int64(8)])


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def half(A: T.Buffer((T.int64(16),), "float16"), out: T.Buffer((T.int64(16),), "float16")):
        out[T.int64(0):T.int64(16)] = T.Let(T.Cast("float16x16", T.Broadcast(T.float32(1.0), 16) / T.sqrt(x)), where={x: T.Cast("float32x16", A[T.int64(0):T.int64(16)])})

    @T.prim_func(private=True)
    def tangents(A: T.Buffer((T.int64(8),), "float64"), out: T.Buffer((T.int64(8),), "float64")):
        out[T.int64(0):T.int64(8)] = T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.Let(T.copysign(t_6 / (t_6 + T.Broadcast(T.float64(2.0), 8)), x), where={t_6: T.Select(T.fabs(t_1) < T.Broadcast(T.float64(0.35), 8), t_1 * (((((((((((((T.Broadcast(T.float64(1.1470745597729726e-11), 8) * t_1 + T.Broadcast(T.float64(1.6059043836821616e-10), 8)) * t_1 + T.Broadcast(T.float64(2.08767569878681e-09), 8)) * t_1 + T.Broadcast(T.float64(2.505210838544172e-08), 8)) * t_1 + T.Broadcast(T.float64(2.7557319223985894e-07), 8)) * t_1 + T.Broadcast(T.float64(2.7557319223985893e-06), 8)) * t_1 + T.Broadcast(T.float64(2.48015873015873e-05), 8)) * t_1 + T.Broadcast(T.float64(0.0001984126984126984), 8)) * t_1 + T.Broadcast(T.float64(0.001388888888888889), 8)) * t_1 + T.Broadcast(T.float64(0.008333333333333333), 8)) * t_1 + T.Broadcast(T.float64(0.041666666666666664), 8)) * t_1 + T.Broadcast(T.float64(0.16666666666666666), 8)) * t_1 + T.Broadcast(T.float64(0.5), 8)) * t_1 + T.Broadcast(T.float64(1.0), 8)), T.scalb(((((((((((((T.Broadcast(T.float64(1.6059043836821616e-10), 8) * t_5 + T.Broadcast(T.float64(2.08767569878681e-09), 8)) * t_5 + T.Broadcast(T.float64(2.505210838544172e-08), 8)) * t_5 + T.Broadcast(T.float64(2.7557319223985894e-07), 8)) * t_5 + T.Broadcast(T.float64(2.7557319223985893e-06), 8)) * t_5 + T.Broadcast(T.float64(2.48015873015873e-05), 8)) * t_5 + T.Broadcast(T.float64(0.0001984126984126984), 8)) * t_5 + T.Broadcast(T.float64(0.001388888888888889), 8)) * t_5 + T.Broadcast(T.float64(0.008333333333333333), 8)) * t_5 + T.Broadcast(T.float64(0.041666666666666664), 8)) * t_5 + T.Broadcast(T.float64(0.16666666666666666), 8)) * t_5 + T.Broadcast(T.float64(0.5), 8)) * t_5 + T.Broadcast(T.float64(1.0), 8)) * t_5 + T.Broadcast(T.float64(1.0), 8), t_4) - T.Broadcast(T.float64(1.0), 8))}), where={t_5: t_3 - t_4 * T.Broadcast(T.float64(0.6931471803691238), 8) - t_4 * T.Broadcast(T.float64(1.9082149292705877e-10), 8)}), where={t_4: t_3 * T.Broadcast(T.float64(1.4426950408889634), 8) + T.Broadcast(T.float64(6755399441055744.0), 8) - T.Broadcast(T.float64(6755399441055744.0), 8)}), where={t_3: T.Select(t_2 < T.Broadcast(T.float64(-746.0), 8), T.Broadcast(T.float64(-746.0), 8), t_2)}), where={t_2: T.Select(t_1 > T.Broadcast(T.float64(710.0), 8), T.Broadcast(T.float64(710.0), 8), t_1)}), where={t_1: T.Broadcast(T.float64(2.0), 8) * T.Select(t > T.Broadcast(T.float64(20.0), 8), T.Broadcast(T.float64(20.0), 8), t)}), where={t: T.fabs(x)}), where={x: A[T.int64(0):T.int64(8)]})
