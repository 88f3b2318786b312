# Macros stand where they are called: of the file, of the class, inside a function.
@T.macro
def fill(buffer, value, n=4):
    for i in range(n):
        buffer[i] = value


@T.inline
def twice(A):
    fill(A, 1.0)
    fill(A, value=T.float32(2), n=2)


@I.ir_module
class Macros:
    @T.macro(hygienic=False)
    def store(index):
        A[index] = T.float32(index)

    @T.prim_func
    def main(A: T.Buffer((8,), "float32"), k: T.int32):
        @T.inline
        def clear(j):
            A[j] = T.float32(0)

        twice(A)
        clear(k)
        for j in range(8):
            clear(j)
            Macros.store(j)
        if True:
            x = k * 2
        else:
            A[0] = missing
        T.evaluate(x)

    @T.prim_func(s_tir=True)
    def blocks(A: T.Buffer((8,), "float32")):
        with T.sblock("outer"):
            T.sblock_attr({"unit": {"a": 1}})
            T.sblock_attr({"unit": {"b": [2]}, "plain": 3})
            for i in range(8):
                B = T.sblock_alloc_buffer((8,), "float32")
                for j in range(8):
                    B[j] = T.reinterpret("float32", A[j])

    @T.prim_func
    def quoted(A: T.Buffer(("m", "n + 1"), "float32"), n: T.int64, B: T.Buffer((n,), "float32")):
        m = T.int32()
        A[m, n] = B[0] + T.float32(len(A.shape))
