# Dot products of bytes: one sum, and vectors of sums that share an operand of four bytes.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def one(A: T.Buffer((4, 8), "uint8"), B: T.Buffer((8,), "int8"), C: T.Buffer((4,), "int32")):
        for i, k in T.grid(4, 2):
            C[i] = T.dp4a(A[i, k * 4 : k * 4 + 4], B[k * 4 : k * 4 + 4], C[i])

    @T.prim_func(private=True)
    def vectors(A: T.Buffer((4,), "int8"), B: T.Buffer((64,), "int8"), C: T.Buffer((16,), "int32")):
        C[0:16] = T.dp4a(A[0:4], B[0:64], C[0:16])
