from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def turned_mean(p_A: T.handle, p_B: T.handle):
        n = T.int64()
        A = T.match_buffer(p_A, (T.int64(5), n, T.int64(32)))
        B = T.match_buffer(p_B, (T.int64(32), n))
        D = T.alloc_buffer((T.int64(32), n))
        S = T.alloc_buffer((T.int64(32), n))
        for i, j, k in T.grid(T.int64(32), n, T.int64(5)):
            with T.block("S"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    S[vi, vj] = T.float32(0.0)
                S[vi, vj] = S[vi, vj] + A[vk, vj, vi]
        for i, j in T.grid(T.int64(32), n):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                D[vi, vj] = S[vi, vj] * T.float32(0.2)
        for i, j in T.grid(T.int64(32), n):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[T.int64(0), vj, vi]

    @R.function
    def main(x: R.Tensor((5, "n", 32), "float32")) -> R.Tensor((32, "n"), "float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.turned_mean, (x,), out_sinfo=R.Tensor((32, n), "float32"))
            R.output(y)
        return y
