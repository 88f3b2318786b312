# Sizes come from fields of tuples and from numbers as well.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(t: R.Tuple(R.Tensor(("n",), "float32"), R.Tensor(("n * 2",), "float32")), e: R.Prim(value="k")):
        n = T.int64()
        k = T.int64()
        with R.dataflow():
            a = t[0]
            b = R.concat([a, a])
            c = R.match_cast((a, b), R.Tuple(R.Tensor((k,), "float32"), R.Tensor((k + n,), "float32")))
            d = c[1]
            R.output(d)
        return d


@I.ir_module
class Expected:
    @R.function
    def main(t: R.Tuple(R.Tensor(("n",), dtype="float32"), R.Tensor(("n * 2",), dtype="float32")), e: R.Prim(value="k")) -> R.Tensor(("k + n",), dtype="float32"):
        n = T.int64()
        k = T.int64()
        t_1: R.Tuple(R.Tensor((n,), dtype="float32"), R.Tensor((n * 2,), dtype="float32")) = R.match_cast(t, R.Tuple(R.Tensor((n,), dtype="float32"), R.Tensor((n * 2,), dtype="float32")))
        e_1: R.Prim(value=k) = R.match_cast(e, R.Prim(value=k))
        c: R.Shape([k, k + n]) = R.match_cast(R.shape([n, n * 2]), R.Shape([k, k + n]))
        size: T.int64 = n * 2
        size_1: T.int64 = n + k
        with R.dataflow():
            a: R.Tensor((n,), dtype="float32") = t[0]
            b: R.Tensor((n * 2,), dtype="float32") = R.concat((a, a))
            c_1: R.Tuple(R.Tensor((k,), dtype="float32"), R.Tensor((k + n,), dtype="float32")) = R.match_cast((a, b), R.Tuple(R.Tensor((k,), dtype="float32"), R.Tensor((k + n,), dtype="float32")))
            d: R.Tensor((k + n,), dtype="float32") = c_1[1]
            R.output(d)
        return d
