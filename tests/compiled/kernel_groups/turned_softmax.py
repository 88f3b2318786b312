from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def turned_softmax(p_A: T.handle, p_B: T.handle):
        n = T.int64()
        A = T.match_buffer(p_A, (T.int64(5), n, T.int64(32)))
        B = T.match_buffer(p_B, (T.int64(32), n, T.int64(5)))
        M = T.alloc_buffer((T.int64(32), n))
        S = T.alloc_buffer((T.int64(32), n))
        E = T.alloc_buffer((T.int64(32), n, T.int64(5)))
        for i, j, k in T.grid(T.int64(32), n, T.int64(5)):
            with T.block("M"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    M[vi, vj] = T.float32("-inf")
                M[vi, vj] = T.max(M[vi, vj], A[vk, vj, vi])
        for i, j, k in T.grid(T.int64(32), n, T.int64(5)):
            with T.block("E"):
                vi, vj, vk = T.axis.remap("SSS", [i, j, k])
                E[vi, vj, vk] = T.exp(A[vk, vj, vi] - M[vi, vj])
        for i, j, k in T.grid(T.int64(32), n, T.int64(5)):
            with T.block("S"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    S[vi, vj] = T.float32(0.0)
                S[vi, vj] = S[vi, vj] + E[vi, vj, vk]
        for i, j, k in T.grid(T.int64(32), n, T.int64(5)):
            with T.block("B"):
                vi, vj, vk = T.axis.remap("SSS", [i, j, k])
                B[vi, vj, vk] = E[vi, vj, vk] / S[vi, vj]

    @R.function
    def main(x: R.Tensor((5, "n", 32), "float32")) -> R.Tensor((32, "n", 5), "float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.turned_softmax, (x,), out_sinfo=R.Tensor((32, n, 5), "float32"))
            R.output(y)
        return y
