# Steps, jumps out of loops, results, chained comparisons, mixed types.
@I.ir_module
class Jumps:
    @T.prim_func
    def steps(A: T.Buffer((64,), "float32"), n: T.int32, k: T.int32):
        for i in range(0, 64, 2):
            A[i] = 1
        for i in T.serial(n, 64, step=3):
            A[i] = 2.5
        for i in T.unroll(0, n, step=k):
            A[i] = A[i] + i

    @T.prim_func
    def breaks(A: T.Buffer((4,), "float32")):
        for i in range(1000):
            if i % 13 == 0:
                A[1] = A[1] + 1
                continue
            if A[0] >= A[1]:
                break
        while True:
            T.break_loop()

    @T.prim_func
    def result(n: T.int32) -> T.int32:
        return n * 2

    @T.prim_func
    def chains(A: T.Buffer((128, 128), "float32")):
        for i, j in T.grid(128, 128):
            if 0 < i < 128 and 0 <= j < i != 3:
                A[i, j] = 1
            A[i, j] = i if i < j else j

    @T.prim_func
    def mixed(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int64"), n: T.int32, h: T.float16):
        A[n] = A[n] * n + h
        B[n] = B[n] + n
        B[0] |= 3
        B[1] <<= 2
