# A weight of few columns has its steps side by side, as the other operand has.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def product(X: T.Buffer((T.int64(9), T.int64(2), T.int64(20)), "float32"), W: T.Buffer((T.int64(2), T.int64(20), T.int64(3)), "float32"), O: T.Buffer((T.int64(9), T.int64(3)), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i, j, h, k in T.grid(T.int64(9), T.int64(3), T.int64(2), T.int64(20)):
            with T.sblock("product"):
                vi, vj, vh, vk = T.axis.remap("SSRR", [i, j, h, k])
                with T.init():
                    O[vi, vj] = T.float32(0)
                O[vi, vj] = O[vi, vj] + X[vi, vh, vk] * W[vh, vk, vj]

    @R.function
    def main(x: R.Tensor((9, 2, 20), "float32"), w: R.Tensor((2, 20, 3), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y = R.call_tir(Before.product, (x, w), out_ty=R.Tensor((9, 3), "float32"))
            R.output(y)
        return y


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def product1(X: T.Buffer((T.int64(9), T.int64(2), T.int64(20)), "float32"), W: T.Buffer((T.int64(2), T.int64(20), T.int64(3)), "float32"), O: T.Buffer((T.int64(9), T.int64(3)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        W_panels = T.sblock_alloc_buffer((T.int64(2), T.int64(3), T.int64(20)))
        for i0, i1, i2 in T.grid(T.int64(2), T.int64(20), T.int64(3)):
            with T.sblock("layout"):
                v0, v1, v2 = T.axis.remap("SSS", [i0, i1, i2])
                T.reads(W[v0, v1, v2])
                T.writes(W_panels[v0, v2, v1])
                T.sblock_attr({"meta_schedule.layout_rewrite_preproc": True})
                W_panels[v0, v2, v1] = W[v0, v1, v2]
        for i, j, h, k in T.grid(T.int64(9), T.int64(3), T.int64(2), T.int64(20)):
            with T.sblock("product"):
                vi, vj, vh, vk = T.axis.remap("SSRR", [i, j, h, k])
                T.reads(X[vi, vh, vk], W_panels[T.int64(0):T.int64(2), T.int64(0):T.int64(3), T.int64(0):T.int64(20)])
                T.writes(O[vi, vj])
                with T.init():
                    O[vi, vj] = T.float32(0.0)
                O[vi, vj] = O[vi, vj] + X[vi, vh, vk] * W_panels[vh, vj, vk]

    @R.function
    def main(x: R.Tensor((9, 2, 20), dtype="float32"), w: R.Tensor((2, 20, 3), dtype="float32")) -> R.Tensor((9, 3), dtype="float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y = R.call_tir(Expected.product1, (x, w), out_ty=R.Tensor((9, 3), dtype="float32"))
            R.output(y)
        return y
