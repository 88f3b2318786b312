# What follows from a size that data decides stays at its cast; a function that is given the size begins with it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def rest(sizes: R.Shape(["k"]), x: R.Tensor(("n",), "float32"), symbols: R.Shape(["n"])):
        k = T.int64()
        n = T.int64()
        y = R.match_cast(R.strided_slice(x, [0], [0], [k]), R.Tensor((k,), "float32"))
        return (R.concat([y, y]), sizes, symbols)

    @R.function
    def main(x: R.Tensor(("n",), "float32"), c: R.Tensor((1,), "int64")):
        n = T.int64()
        k = T.int64()
        s: R.Shape(ndim=1) = R.tensor_to_shape(c)
        s1 = R.match_cast(s, R.Shape([k]))
        y = R.match_cast(x, R.Tensor((k * 2,), "float32"))
        z = R.concat([y, y, x])
        return z


@I.ir_module
class Expected:
    @R.function(private=True)
    def rest(sizes: R.Shape(["k"]), x: R.Tensor(("n",), dtype="float32"), symbols: R.Shape(["n"])) -> R.Tuple(R.Tensor(("k * 2",), dtype="float32"), R.Shape(["k"]), R.Shape(["n"])):
        k = T.int64()
        n = T.int64()
        sizes_1: R.Shape([k]) = R.match_cast(sizes, R.Shape([k]))
        x_1: R.Tensor((n,), dtype="float32") = R.match_cast(x, R.Tensor((n,), dtype="float32"))
        symbols_1: R.Shape([n]) = R.match_cast(symbols, R.Shape([n]))
        y: R.Shape([k]) = R.match_cast(R.shape([T.min(T.max(T.if_then_else(k < 0, k + n, k), 0), n)]), R.Shape([k]))
        size: T.int64 = k * 2
        y_1: R.Tensor((k,), dtype="float32") = R.match_cast(R.strided_slice(x, (0,), (0,), (k,)), R.Tensor((k,), dtype="float32"))
        return (R.concat((y_1, y_1)), sizes, symbols)

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), c: R.Tensor((1,), dtype="int64")) -> R.Tensor(dtype="float32", ndim=1):
        n = T.int64()
        k = T.int64()
        x_1: R.Tensor((n,), dtype="float32") = R.match_cast(x, R.Tensor((n,), dtype="float32"))
        s: R.Shape(ndim=1) = R.tensor_to_shape(c)
        s1: R.Shape([k]) = R.match_cast(s, R.Shape([k]))
        y: R.Tensor((k * 2,), dtype="float32") = R.match_cast(x, R.Tensor((k * 2,), dtype="float32"))
        z: R.Tensor((k * 2 + k * 2 + n,), dtype="float32") = R.concat((y, y, x))
        return z
