# The last panel of a weight takes no more memory than its columns.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def product(X: T.Buffer((T.int64(3), T.int64(5)), "float32"), W: T.Buffer((T.int64(5), T.int64(70)), "float32"), O: T.Buffer((T.int64(3), T.int64(70)), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i, j, k in T.grid(T.int64(3), T.int64(70), T.int64(5)):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    O[vi, vj] = T.float32(0)
                O[vi, vj] = O[vi, vj] + X[vi, vk] * W[vk, vj]

    @R.function
    def main(x: R.Tensor((3, 5), "float32"), w: R.Tensor((5, 70), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y = R.call_tir(Before.product, (x, w), out_ty=R.Tensor((3, 70), "float32"))
            R.output(y)
        return y


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def product1(X: T.Buffer((T.int64(3), T.int64(5)), "float32"), W: T.Buffer((T.int64(5), T.int64(70)), "float32"), O: T.Buffer((T.int64(3), T.int64(70)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        W_panels = T.sblock_alloc_buffer((T.int64(350),))
        for i0, i1 in T.grid(T.int64(5), T.int64(70)):
            with T.sblock("layout"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(W[v0, v1])
                T.writes(W_panels[v1 // 16 * 80 + v0 * T.min(16, 70 - v1 // 16 * 16) + v1 % 16])
                T.sblock_attr({"meta_schedule.layout_rewrite_preproc": True})
                W_panels[v1 // 16 * 80 + v0 * T.min(16, 70 - v1 // 16 * 16) + v1 % 16] = W[v0, v1]
        for i, j, k in T.grid(T.int64(3), T.int64(70), T.int64(5)):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads(X[vi, vk], W_panels[T.int64(0):T.int64(350)])
                T.writes(O[vi, vj])
                with T.init():
                    O[vi, vj] = T.float32(0.0)
                O[vi, vj] = O[vi, vj] + X[vi, vk] * W_panels[vj // 16 * 80 + vk * T.min(16, 70 - vj // 16 * 16) + vj % 16]

    @R.function
    def main(x: R.Tensor((3, 5), dtype="float32"), w: R.Tensor((5, 70), dtype="float32")) -> R.Tensor((3, 70), dtype="float32"):
        R.func_attr({"num_input": 1})
        cls = Expected
        with R.dataflow():
            y = R.call_tir(cls.product1, (x, w), out_ty=R.Tensor((3, 70), dtype="float32"))
            R.output(y)
        return y
