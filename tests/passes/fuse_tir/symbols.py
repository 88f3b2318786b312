# Sizes of kernels become those of the function; the numbers of a shape become scalar parameters.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def scale(a: T.handle, k: T.int64, o: T.handle):
        m = T.int64()
        A = T.match_buffer(a, (m,), "float32")
        O = T.match_buffer(o, (m,), "float32")
        for i in range(m):
            with T.sblock("scale"):
                v = T.axis.spatial(m, i)
                O[v] = A[v] * T.Cast("float32", k)

    @R.function(private=True)
    def fused(x: R.Tensor(("n",), "float32"), s: R.Shape(["k"])) -> R.Tensor(("n",), "float32"):
        R.func_attr({"Primitive": True})
        n = T.int64()
        k = T.int64()
        with R.dataflow():
            y = R.call_tir(Before.scale, (x, k), out_ty=R.Tensor((n,), "float32"))
            R.output(y)
        return y

    @R.function
    def main(x: R.Tensor(("n",), "float32"), s: R.Shape(["k"])) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        with R.dataflow():
            y: R.Tensor((n,), "float32") = Before.fused(x, s)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @T.prim_func(private=True, s_tir=True)
    def fused(p_x: T.handle, k: T.int64, p_output0: T.handle):
        T.func_attr({"tirx.noalias": True})
        n = T.int64()
        x = T.match_buffer(p_x, (n,), "float32")
        y = T.match_buffer(p_output0, (n,), "float32")
        for i in range(n):
            with T.sblock("scale"):
                v = T.axis.spatial(n, i)
                y[v] = x[v] * T.Cast("float32", k)

    @R.function
    def main(x: R.Tensor(("n",), "float32"), s: R.Shape(["k"])) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        k = T.int64()
        with R.dataflow():
            y = R.call_tir(Expected.fused, (x, k), out_ty=R.Tensor((n,), "float32"))
            R.output(y)
        return y
