# A reduction with an initial value, annotations and a local buffer.
@T.prim_func
def matmul(A: T.Buffer((128, 64), "float32"), B: T.Buffer((64, 32), "float32"), C: T.Buffer((128, 32), "float32")):
    T.func_attr({"tirx.noalias": True, "op_pattern": 4})
    D = T.sblock_alloc_buffer((128, 32), "float32")
    for i, j, k in T.grid(128, 32, 64):
        with T.sblock("matmul"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            T.reads(A[vi, vk], B[vk, vj])
            T.writes(D[vi, vj])
            T.sblock_attr({"schedule": "tiled", "sizes": [4, 8]})
            with T.init():
                D[vi, vj] = T.float32(0.0)
            D[vi, vj] = D[vi, vj] + A[vi, vk] * B[vk, vj]
    for i in T.parallel(128):
        for j in T.vectorized(32):
            with T.sblock("copy"):
                vi = T.axis.spatial(128, i)
                vj = T.axis.spatial(32, j)
                C[vi, vj] = T.max(D[vi, vj], T.float32(0))
