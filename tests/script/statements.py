# Every statement of the loop level.
@T.prim_func(private=True)
def statements(A: T.Buffer((64,), "float32"), n: T.int32, m: T.int32, p: T.handle, x: T.float16):
    T.evaluate(0)
    assert n > 0, "n must be positive"
    assert T.bool(True), ("RuntimeError", ["always", "!"])
    for i in range(n):
        A[i] = T.float32(1)
    for i in range(2, 10):
        A[i] += 2
    for i in range(n, n + m):
        A[i] = A[i] - 1.0
    for i in T.serial(0, 8, annotations={"pragma": 1}):
        A[i] = 0.0
    for i in T.unroll(4):
        A[i] = 0
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        A[tx] = T.Cast("float32", tx)
    for i in T.parallel(4):
        for j in T.serial(i):
            A[j] = A[j] * T.float32(0.5)
    k: T.int32 = n * 2
    l = k + 1
    while k < l:
        T.evaluate(T.call_extern("int32", "step", k, "text", A.data))
    if k < 3:
        A[0] = 1.0
    elif k < 4:
        A[0] = 2.0
    else:
        A[0] = 3.0
    with T.attr("pragma", "unroll", 1):
        A[1] = 2.0
    with T.LetStmt(k + 1) as q:
        A[q] = 0.0
    with T.alloc_buffer((4,), "float32", scope="local") as L:
        L[0] = A[0]
        A[1] = L[0]
    S = T.alloc_buffer((8, 2), "float32", scope="shared", annotations={"align": 16})
    D = T.decl_buffer((16,), "float32", data=S.data)
    D[3] = S[0, 1]
    r: T.let[T.int64] = T.int64(3)
    A[r] = 1.0
    T.evaluate(T.call_extern("int32", "done", p))
