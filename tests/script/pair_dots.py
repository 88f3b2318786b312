# Dot products of pairs of bfloat16, which are words: one sum, and a vector of sums.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def one(A: T.Buffer((4, 8), "uint32"), B: T.Buffer((8,), "uint32"), C: T.Buffer((4,), "float32")):
        for i, k in T.grid(4, 8):
            C[i] = T.dp2a(A[i, k], B[k], C[i])

    @T.prim_func(private=True)
    def vectors(A: T.Buffer((16,), "uint32"), B: T.Buffer((1,), "uint32"), C: T.Buffer((16,), "float32")):
        C[0:16] = T.dp2a(A[0:16], T.Broadcast(B[0], 16), C[0:16])
