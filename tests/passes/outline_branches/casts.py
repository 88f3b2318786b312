# A cast to known sizes stays a check; sizes that both branches find are cast again behind them.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor(("n",), "float32"), a: R.Tensor(ndim=1, dtype="float32"), b: R.Tensor(ndim=1, dtype="float32")):
        n = T.int64()
        k = T.int64()
        if c:
            p = R.match_cast(a, R.Tensor((n,), "float32"))
            y = R.add(p, p)
        else:
            y = x
        if c:
            q = R.match_cast(a, R.Tensor((k,), "float32"))
            z = R.add(q, q)
        else:
            q = R.match_cast(b, R.Tensor((k,), "float32"))
            z = R.multiply(q, q)
        o = R.ones(R.shape([k]), "float32")
        s = R.add(z, o)
        return (y, s)


@I.ir_module
class Expected:
    @R.function(private=True)
    def main_else(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        return x

    @R.function(private=True)
    def main_else1(b: R.Tensor(dtype="float32", ndim=1)) -> R.Tensor(dtype="float32", ndim=1):
        k = T.int64()
        q: R.Tensor((k,), dtype="float32") = R.match_cast(b, R.Tensor((k,), dtype="float32"))
        z: R.Tensor((k,), dtype="float32") = R.multiply(q, q)
        return z

    @R.function(private=True)
    def main_then(a: R.Tensor(dtype="float32", ndim=1), symbols: R.Shape(["n"])) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        p: R.Tensor((n,), dtype="float32") = R.match_cast(a, R.Tensor((n,), dtype="float32"))
        y: R.Tensor((n,), dtype="float32") = R.add(p, p)
        return y

    @R.function(private=True)
    def main_then1(a: R.Tensor(dtype="float32", ndim=1)) -> R.Tensor(dtype="float32", ndim=1):
        k = T.int64()
        q: R.Tensor((k,), dtype="float32") = R.match_cast(a, R.Tensor((k,), dtype="float32"))
        z: R.Tensor((k,), dtype="float32") = R.add(q, q)
        return z

    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor(("n",), dtype="float32"), a: R.Tensor(dtype="float32", ndim=1), b: R.Tensor(dtype="float32", ndim=1)) -> R.Tuple(R.Tensor(("n",), dtype="float32"), R.Tensor(dtype="float32", ndim=1)):
        n = T.int64()
        k = T.int64()
        cls = Expected
        if c:
            y: R.Tensor((n,), dtype="float32") = cls.main_then(a, R.shape([n]))
        else:
            y: R.Tensor((n,), dtype="float32") = cls.main_else(x)
        if c:
            z: R.Tensor(dtype="float32", ndim=1) = cls.main_then1(a)
        else:
            z: R.Tensor(dtype="float32", ndim=1) = cls.main_else1(b)
        z_1: R.Tensor((k,), dtype="float32") = R.match_cast(z, R.Tensor((k,), dtype="float32"))
        o: R.Tensor((k,), dtype="float32") = R.ones(R.shape([k]), dtype="float32")
        s: R.Tensor((k,), dtype="float32") = R.add(z_1, o)
        return (y, s)
