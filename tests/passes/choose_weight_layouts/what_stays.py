# Few columns that lie side by side are a panel, and what is given at run time stays as it is given.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def product(X: T.Buffer((T.int64(3), T.int64(5)), "float32"), W: T.Buffer((T.int64(5), T.int64(16)), "float32"), O: T.Buffer((T.int64(3), T.int64(16)), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i, j, k in T.grid(T.int64(3), T.int64(16), T.int64(5)):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    O[vi, vj] = T.float32(0)
                O[vi, vj] = O[vi, vj] + X[vi, vk] * W[vk, vj]

    @R.function
    def main(x: R.Tensor((3, 5), "float32"), w: R.Tensor((5, 16), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y = R.call_tir(Before.product, (x, w), out_ty=R.Tensor((3, 16), "float32"))
            R.output(y)
        return y
    @T.prim_func(private=True)
    def other(X: T.Buffer((T.int64(3), T.int64(5)), "float32"), W: T.Buffer((T.int64(5), T.int64(64)), "float32"), O: T.Buffer((T.int64(3), T.int64(64)), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i, j, k in T.grid(T.int64(3), T.int64(64), T.int64(5)):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    O[vi, vj] = T.float32(0)
                O[vi, vj] = O[vi, vj] + X[vi, vk] * W[vk, vj]

    @R.function
    def second(x: R.Tensor((3, 5), "float32"), w: R.Tensor((5, 64), "float32")):
        R.func_attr({"num_input": 2})
        with R.dataflow():
            y = R.call_tir(Before.other, (x, w), out_ty=R.Tensor((3, 64), "float32"))
            R.output(y)
        return y


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def other(X: T.Buffer((T.int64(3), T.int64(5)), "float32"), W: T.Buffer((T.int64(5), T.int64(64)), "float32"), O: T.Buffer((T.int64(3), T.int64(64)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i, j, k in T.grid(T.int64(3), T.int64(64), T.int64(5)):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads(X[vi, vk], W[vk, vj])
                T.writes(O[vi, vj])
                with T.init():
                    O[vi, vj] = T.float32(0.0)
                O[vi, vj] = O[vi, vj] + X[vi, vk] * W[vk, vj]

    @T.prim_func(private=True)
    def product(X: T.Buffer((T.int64(3), T.int64(5)), "float32"), W: T.Buffer((T.int64(5), T.int64(16)), "float32"), O: T.Buffer((T.int64(3), T.int64(16)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i, j, k in T.grid(T.int64(3), T.int64(16), T.int64(5)):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads(X[vi, vk], W[vk, vj])
                T.writes(O[vi, vj])
                with T.init():
                    O[vi, vj] = T.float32(0.0)
                O[vi, vj] = O[vi, vj] + X[vi, vk] * W[vk, vj]

    @R.function
    def second(x: R.Tensor((3, 5), dtype="float32"), w: R.Tensor((5, 64), dtype="float32")) -> R.Tensor((3, 64), dtype="float32"):
        R.func_attr({"num_input": 2})
        with R.dataflow():
            y = R.call_tir(Expected.other, (x, w), out_ty=R.Tensor((3, 64), dtype="float32"))
            R.output(y)
        return y

    @R.function
    def main(x: R.Tensor((3, 5), dtype="float32"), w: R.Tensor((5, 16), dtype="float32")) -> R.Tensor((3, 16), dtype="float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y = R.call_tir(Expected.product, (x, w), out_ty=R.Tensor((3, 16), dtype="float32"))
            R.output(y)
        return y
