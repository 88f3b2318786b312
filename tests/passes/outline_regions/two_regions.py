# Each cast begins a region; what a region uses from before is passed on, symbols too. Dataflow blocks end.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def part(x: R.Tensor(("m",), "float32")) -> R.Tensor(ndim=1, dtype="float32"):
        y: R.Tensor(ndim=1, dtype="float32") = R.match_cast(x, R.Tensor(ndim=1, dtype="float32"))
        return y

    @R.function
    def main(x: R.Tensor(("m",), "float32")) -> R.Tuple(R.Tensor(ndim=1, dtype="float32"), R.Tensor(("m",), "float32")):
        m = T.int64()
        n = T.int64()
        k = T.int64()
        cls = Before
        with R.dataflow():
            a: R.Tensor(ndim=1, dtype="float32") = cls.part(x)
            a1: R.Tensor((n,), "float32") = R.match_cast(a, R.Tensor((n,), "float32"))
            b: R.Tensor(ndim=1, dtype="float32") = cls.part(a1)
            b1: R.Tensor((k,), "float32") = R.match_cast(b, R.Tensor((k,), "float32"))
            c: R.Tensor((n + k,), "float32") = R.concat((a1, b1))
            d: R.Tensor((m,), "float32") = R.ones(R.shape([m]), "float32")
            out: R.Tuple(R.Tensor((n + k,), "float32"), R.Tensor((m,), "float32")) = (c, d)
            R.output(out)
        return out


@I.ir_module
class Expected:
    @R.function(private=True)
    def main_rest(b1: R.Tensor(("k",), dtype="float32"), a1: R.Tensor(("n",), dtype="float32"), symbols: R.Shape(["m"])) -> R.Tuple(R.Tensor(("n + k",), dtype="float32"), R.Tensor(("m",), dtype="float32")):
        k = T.int64()
        n = T.int64()
        m = T.int64()
        c: R.Tensor((n + k,), dtype="float32") = R.concat((a1, b1))
        d: R.Tensor((m,), dtype="float32") = R.ones(R.shape([m]), dtype="float32")
        out: R.Tuple(R.Tensor((n + k,), dtype="float32"), R.Tensor((m,), dtype="float32")) = (c, d)
        return out

    @R.function(private=True)
    def main_rest1(a1: R.Tensor(("n",), dtype="float32"), symbols: R.Shape(["m"])) -> R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Tensor(("m",), dtype="float32")):
        n = T.int64()
        m = T.int64()
        cls = Expected
        b: R.Tensor(dtype="float32", ndim=1) = cls.part(a1)
        out: R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Tensor((m,), dtype="float32")) = cls.main_rest(b, a1, R.shape([m]))
        return out

    @R.function(private=True)
    def part(x: R.Tensor(("m",), dtype="float32")) -> R.Tensor(dtype="float32", ndim=1):
        m = T.int64()
        y: R.Tensor(dtype="float32", ndim=1) = R.match_cast(x, R.Tensor(dtype="float32", ndim=1))
        return y

    @R.function
    def main(x: R.Tensor(("m",), dtype="float32")) -> R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Tensor(("m",), dtype="float32")):
        m = T.int64()
        cls = Expected
        a: R.Tensor(dtype="float32", ndim=1) = cls.part(x)
        out: R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Tensor((m,), dtype="float32")) = cls.main_rest1(a, R.shape([m]))
        return out
