# Weights of bytes have four steps side by side for each column; the last panel has its true width.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def product(X: T.Buffer((T.int64(3), T.int64(8)), "uint8"), W: T.Buffer((T.int64(8), T.int64(64)), "int8"), O: T.Buffer((T.int64(3), T.int64(64)), "int32")):
        T.func_attr({"tirx.noalias": True})
        for i, j, k in T.grid(T.int64(3), T.int64(64), T.int64(8)):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    O[vi, vj] = 0
                O[vi, vj] = O[vi, vj] + T.Cast("int32", X[vi, vk]) * T.Cast("int32", W[vk, vj])

    @T.prim_func(private=True)
    def narrow(X: T.Buffer((T.int64(3), T.int64(8)), "int8"), W: T.Buffer((T.int64(8), T.int64(40)), "int8"), O: T.Buffer((T.int64(3), T.int64(40)), "int32")):
        T.func_attr({"tirx.noalias": True})
        for i, j, k in T.grid(T.int64(3), T.int64(40), T.int64(8)):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    O[vi, vj] = 0
                O[vi, vj] = O[vi, vj] + T.Cast("int32", X[vi, vk]) * T.Cast("int32", W[vk, vj])

    @T.prim_func(private=True)
    def left_over(X: T.Buffer((T.int64(3), T.int64(6)), "int8"), W: T.Buffer((T.int64(6), T.int64(64)), "int8"), O: T.Buffer((T.int64(3), T.int64(64)), "int32")):
        T.func_attr({"tirx.noalias": True})
        for i, j, k in T.grid(T.int64(3), T.int64(64), T.int64(6)):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    O[vi, vj] = 0
                O[vi, vj] = O[vi, vj] + T.Cast("int32", X[vi, vk]) * T.Cast("int32", W[vk, vj])

    @R.function
    def main(x: R.Tensor((3, 8), "uint8"), y: R.Tensor((3, 8), "int8"), z: R.Tensor((3, 6), "int8"), u: R.Tensor((8, 64), "int8"), v: R.Tensor((8, 40), "int8"), w: R.Tensor((6, 64), "int8")):
        R.func_attr({"num_input": 3})
        with R.dataflow():
            a = R.call_tir(Before.product, (x, u), out_ty=R.Tensor((3, 64), "int32"))
            b = R.call_tir(Before.narrow, (y, v), out_ty=R.Tensor((3, 40), "int32"))
            c = R.call_tir(Before.left_over, (z, w), out_ty=R.Tensor((3, 64), "int32"))
            R.output(a, b, c)
        return (a, b, c)


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def left_over(X: T.Buffer((T.int64(3), T.int64(6)), "int8"), W: T.Buffer((T.int64(6), T.int64(64)), "int8"), O: T.Buffer((T.int64(3), T.int64(64)), "int32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i, j, k in T.grid(T.int64(3), T.int64(64), T.int64(6)):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads(X[vi, vk], W[vk, vj])
                T.writes(O[vi, vj])
                with T.init():
                    O[vi, vj] = 0
                O[vi, vj] = O[vi, vj] + T.Cast("int32", X[vi, vk]) * T.Cast("int32", W[vk, vj])

    @T.prim_func(private=True)
    def narrow1(X: T.Buffer((T.int64(3), T.int64(8)), "int8"), W: T.Buffer((T.int64(8), T.int64(40)), "int8"), O: T.Buffer((T.int64(3), T.int64(40)), "int32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        W_panels = T.sblock_alloc_buffer((T.int64(320),), "int8")
        for i0, i1 in T.grid(T.int64(8), T.int64(40)):
            with T.sblock("layout"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(W[v0, v1])
                T.writes(W_panels[(v1 // 16 * 32 + v0 // 4 * T.min(16, 40 - v1 // 16 * 16) + v1 % 16) * 4 + v0 % 4])
                T.sblock_attr({"meta_schedule.layout_rewrite_preproc": True})
                W_panels[(v1 // 16 * 32 + v0 // 4 * T.min(16, 40 - v1 // 16 * 16) + v1 % 16) * 4 + v0 % 4] = W[v0, v1]
        for i, j, k in T.grid(T.int64(3), T.int64(40), T.int64(8)):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads(X[vi, vk], W_panels[T.int64(0):T.int64(320)])
                T.writes(O[vi, vj])
                with T.init():
                    O[vi, vj] = 0
                O[vi, vj] = O[vi, vj] + T.Cast("int32", X[vi, vk]) * T.Cast("int32", W_panels[(vj // 16 * 32 + vk // 4 * T.min(16, 40 - vj // 16 * 16) + vj % 16) * 4 + vk % 4])

    @T.prim_func(private=True)
    def product1(X: T.Buffer((T.int64(3), T.int64(8)), "uint8"), W: T.Buffer((T.int64(8), T.int64(64)), "int8"), O: T.Buffer((T.int64(3), T.int64(64)), "int32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        W_panels = T.sblock_alloc_buffer((T.int64(4), T.int64(2), T.int64(64)), "int8")
        for i0, i1 in T.grid(T.int64(8), T.int64(64)):
            with T.sblock("layout"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(W[v0, v1])
                T.writes(W_panels[v1 // 16, v0 // 4, v1 % 16 * 4 + v0 % 4])
                T.sblock_attr({"meta_schedule.layout_rewrite_preproc": True})
                W_panels[v1 // 16, v0 // 4, v1 % 16 * 4 + v0 % 4] = W[v0, v1]
        for i, j, k in T.grid(T.int64(3), T.int64(64), T.int64(8)):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads(X[vi, vk], W_panels[T.int64(0):T.int64(4), T.int64(0):T.int64(2), T.int64(0):T.int64(64)])
                T.writes(O[vi, vj])
                with T.init():
                    O[vi, vj] = 0
                O[vi, vj] = O[vi, vj] + T.Cast("int32", X[vi, vk]) * T.Cast("int32", W_panels[vj // 16, vk // 4, vj % 16 * 4 + vk % 4])

    @R.function
    def main(x: R.Tensor((3, 8), dtype="uint8"), y: R.Tensor((3, 8), dtype="int8"), z: R.Tensor((3, 6), dtype="int8"), u: R.Tensor((8, 64), dtype="int8"), v: R.Tensor((8, 40), dtype="int8"), w: R.Tensor((6, 64), dtype="int8")) -> R.Tuple(R.Tensor((3, 64), dtype="int32"), R.Tensor((3, 40), dtype="int32"), R.Tensor((3, 64), dtype="int32")):
        R.func_attr({"num_input": 3})
        cls = Expected
        with R.dataflow():
            a = R.call_tir(cls.product1, (x, u), out_ty=R.Tensor((3, 64), dtype="int32"))
            b = R.call_tir(cls.narrow1, (y, v), out_ty=R.Tensor((3, 40), dtype="int32"))
            c = R.call_tir(cls.left_over, (z, w), out_ty=R.Tensor((3, 64), dtype="int32"))
            R.output(a, b, c)
        return (a, b, c)
