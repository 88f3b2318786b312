# Calls of functions in any order, recursion, call_tir and packed calls in old and new spelling.
@I.ir_module(s_tir=True)
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")):
        n = T.int64()
        cls = Module
        a = cls.helper(x)
        b = R.call_tir(cls.twice, (a,), out_ty=R.Tensor((n, 4), dtype="float32"))
        c = R.call_tir(Module.twice, b, R.Tensor((n, 4), "float32"), tir_vars=R.shape([n]))
        d = R.call_dps_packed("my.extern", (c, n), out_sinfo=R.Tensor((n, 4), "float32"))
        e = R.call_pure_packed("my.pure", d, R.prim_value(3), sinfo_args=R.Tensor((n, 4), "float32"))
        f = R.call_pure_packed("my.pair", e, ty_args=[R.Tensor, R.Shape(ndim=2)])
        g = R.call_dps_packed("many", (e,), out_ty=[R.Tensor((n, 4), "float32"), R.Tensor((4,), "int32")])
        return (f, g)

    @R.function(private=True)
    def helper(x: R.Tensor(("m", 4), "float32")) -> R.Tensor(("m", 4), "float32"):
        y = Module.helper(x)
        return y

    @T.prim_func(private=True)
    def twice(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4), "float32")
        B = T.match_buffer(b, (n, 4), "float32")
        for i, j in T.grid(n, T.int64(4)):
            with T.sblock("twice"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)
