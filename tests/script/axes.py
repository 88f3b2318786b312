# Axes of every kind, domains, predicates, views, blocks that are not placed.
@T.prim_func(private=True)
def axes(a: T.handle, n: T.int32):
    A = T.match_buffer(a, (n, 16), "float32", strides=["s", 1], elem_offset="o", scope="global", align=128)
    for i, j in T.grid(n, 16):
        for k in range(4):
            with T.sblock("b"):
                vi = T.axis.spatial(n, i)
                vj = T.axis.spatial((2, 18), j + 2)
                vk = T.axis.reduce(4, k)
                vs = T.axis.scan(1, 0)
                vo = T.axis.opaque((0, n), i)
                vl = T.axis.spatial(T.int64(8), T.int64(0))
                T.where(i < n - 1)
                T.reads(A[vi, 0:16], A[0:n, vj:vj + 4], A[2 : 2 + n, 3:5])
                T.writes(A[vi, vj])
                V = T.match_buffer(A[vi, 0:4], (1, 4), strides=["u", "w"], offset_factor=1)
                V[0, 0] = A[vi, vj]
    with T.sblock("inner", no_realize=True):
        vi = T.axis.spatial(16)
        A[vi, 0] = 0.0
