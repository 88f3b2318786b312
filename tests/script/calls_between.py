# Loops call functions of their module, by name; whole buffers are handed on as their memory.
@I.ir_module
class Calls:
    @T.prim_func
    def main(A: T.Buffer((2,), "float32"), n: T.int32):
        Calls.subroutine(A.data, n)
        Calls.subroutine(A, T.int32(1))
        T.call_tir(Calls.subroutine, A, n)
        A[0] = Calls.square(A[1]) + Calls.square(2.0)
        T.evaluate(Calls.square(A[0]))

    @T.prim_func(private=True)
    def subroutine(p: T.handle("float32"), n: T.int32):
        A = T.decl_buffer((2,), "float32", data=p)
        A[n] = A[n] * T.float32(2)

    @T.prim_func(private=True)
    def square(x: T.float32) -> T.float32:
        return x * x
