# Scalars that are assigned more than once live in buffers of one element.
@T.prim_func
def cells(A: T.Buffer((16,), "float32"), n: T.int32):
    total: T.float32 = 0.0
    count: T.int32
    count = 0
    for i in range(n):
        total = total + A[i]
        count += 1
        if A[i] > total:
            count = count * 2
    x: T.let[T.int32] = count
    while count > 0:
        count -= x
    y = n // 4
    A[0] = total + T.Cast("float32", count) + T.Cast("float32", y)
    single = T.alloc_buffer((1,), "int32", scope="local")
    single = y
    single[0] = single[0] + 1
    s = T.local_scalar("int32")
    s = 3
    shared = T.alloc_shared((16,), "float32")
    local = T.alloc_local((4, 4), "float16")
    tile: T.float32[4, 2]
    tile[s, 0] = T.float32(1)
    local[0, 0] = T.float16(0)
    shared[s] = tile[s, 0]
