# Scalar expressions: operators, intrinsics, literals of all types, vectors.
@T.prim_func(private=True)
def expressions(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "int32"), C: T.Buffer((16,), "float32x4"), n: T.int64, b: T.bool):
    B[0] = B[1] + B[2] * B[3] - (B[4] - B[5]) // 3 % 4
    B[1] = T.truncdiv(B[0], 2) + T.truncmod(B[1], B[2]) + T.Div(B[0], B[1])
    B[2] = -B[3] + -1 + ~B[4] + (B[5] << 2) + (B[6] >> 1) + (B[7] & 3) + (B[8] | 4) + (B[9] ^ 5)
    A[0] = T.exp(A[1]) + T.sqrt(A[2]) / T.fma(A[3], A[4], A[5]) + T.pow(A[0], 2.0)
    A[1] = T.min(A[0], A[1]) + T.max(A[2], T.float32(0)) + T.float32("inf") + T.float32("nan") + T.float32(-1.5e-8)
    A[2] = T.Select(b and not b or n > 3, A[0], A[1])
    A[3] = T.if_then_else(n == 0, A[0], 0.0)
    A[4] = T.Let(T.Cast("float32", v) + A[v], where={v: B[0]})
    A[5] = T.Cast("float32", n) * T.float32(n % 3)
    B[3] = T.Cast("int32", T.min(n * 2, 100) + T.int64(7) // n)
    B[4] = T.Select(T.isnan(A[0]), 1, 2)
    C[0] = C[1] * T.Broadcast(A[0], 4) + T.Broadcast(T.float32(2), 4)
    A[T.Ramp(0, 1, 4)] = A[4:8]
    A[8:16:2] = T.Broadcast(T.float32(1), 4)
    B[5] = T.Add(1, 2) + T.Mul(T.int64(2), T.int64(3)).astype("int32")
    B[6] = T.call_pure_extern("int32", "popcount", T.uint8(255), T.uint64(18446744073709551615), T.bool(False))
    B[7] = T.reinterpret("int32", A[0])
    B[8] = T.clz(T.int64(5), dtype="int32")
    A[6] = A[0] if b else A[1]
    B[9] = T.shift_left(B[0], 1) + (B[1] if b else 3)
    T.evaluate(T.address_of(A[0]))
    T.evaluate(T.IntImm("handle", 0))
