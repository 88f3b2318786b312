# Several symbols at once, names for the reader alone, the extremes of types, a value without type.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("m", "n"), "float32")):
        m, n = T.int64(), T.int64()
        return (x, R.shape([m, n * 2]))

    @T.prim_func(private=True)
    def kernel(a: T.handle):
        n, k = T.int64(), T.int32()
        A = T.match_buffer(a, (n, k), "float32")
        last = T.meta_var(n - 1)
        p: T.handle("float32") = T.call_extern("handle", "get")
        nothing = T.call_extern("void", "tell", p)
        A[last, 0] = T.min_value("float32") + T.max_value("float32") + T.infinity("float32")
        A[0, 0] = T.Cast("float32", T.min_value("int8") + T.max_value("int8")) + T.Cast("float32", T.max_value("uint64"))
        T.evaluate(nothing)
