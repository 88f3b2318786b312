# A weight of groups of columns of bytes gets panels that lie within groups, in which four steps lie side by side for each column.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def product(X: T.Buffer((T.int64(3), T.int64(16)), "uint8"), W: T.Buffer((T.int64(8), T.int64(96)), "int8"), O: T.Buffer((T.int64(3), T.int64(96)), "int32")):
        T.func_attr({"tirx.noalias": True})
        for i, j, k in T.grid(T.int64(3), T.int64(96), T.int64(8)):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    O[vi, vj] = 0
                O[vi, vj] = O[vi, vj] + T.Cast("int32", X[vi, vj // 48 * 8 + vk]) * T.Cast("int32", W[vk, vj])

    @R.function
    def main(x: R.Tensor((3, 16), "uint8"), w: R.Tensor((8, 96), "int8")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y = R.call_tir(Before.product, (x, w), out_ty=R.Tensor((3, 96), "int32"))
            R.output(y)
        return y


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def product1(X: T.Buffer((T.int64(3), T.int64(16)), "uint8"), W: T.Buffer((T.int64(8), T.int64(96)), "int8"), O: T.Buffer((T.int64(3), T.int64(96)), "int32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        W_panels = T.sblock_alloc_buffer((T.int64(6), T.int64(2), T.int64(64)), "int8")
        for i0, i1 in T.grid(T.int64(8), T.int64(96)):
            with T.sblock("layout"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(W[v0, v1])
                T.writes(W_panels[v1 // 16, v0 // 4, v1 % 16 * 4 + v0 % 4])
                T.sblock_attr({"meta_schedule.layout_rewrite_preproc": True})
                W_panels[v1 // 16, v0 // 4, v1 % 16 * 4 + v0 % 4] = W[v0, v1]
        for i, j, k in T.grid(T.int64(3), T.int64(96), T.int64(8)):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads(X[vi, vj // 48 * 8 + vk], W_panels[T.int64(0):T.int64(6), T.int64(0):T.int64(2), T.int64(0):T.int64(64)])
                T.writes(O[vi, vj])
                with T.init():
                    O[vi, vj] = 0
                O[vi, vj] = O[vi, vj] + T.Cast("int32", X[vi, vj // 48 * 8 + vk]) * T.Cast("int32", W_panels[vj // 16, vk // 4, vj % 16 * 4 + vk % 4])

    @R.function
    def main(x: R.Tensor((3, 16), dtype="uint8"), w: R.Tensor((8, 96), dtype="int8")) -> R.Tensor((3, 96), dtype="int32"):
        R.func_attr({"num_input": 1})
        cls = Expected
        with R.dataflow():
            y = R.call_tir(cls.product1, (x, w), out_ty=R.Tensor((3, 96), dtype="int32"))
            R.output(y)
        return y
