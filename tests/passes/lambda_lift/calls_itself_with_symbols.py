# A function that calls itself hands on the symbols that it captured.
# pass: lambda-lift
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), c: R.Tensor((), "bool")) -> R.Tensor(dtype="float32", ndim=1):
        n = T.int64()

        @R.function
        def inner(y: R.Tensor(("m",), "float32"), d: R.Tensor((), "bool")) -> R.Tensor(dtype="float32", ndim=1):
            n = T.int64()
            if d:
                z = R.zeros(R.shape([n]), dtype="float32")
                r: R.Tensor(dtype="float32", ndim=1) = inner(z, d)
            else:
                r: R.Tensor(dtype="float32", ndim=1) = y
            return r

        out: R.Tensor(dtype="float32", ndim=1) = inner(x, c)
        return out


@I.ir_module
class Expected:
    @R.function(private=True)
    def main_inner(y: R.Tensor(("m",), dtype="float32"), d: R.Tensor((), dtype="bool"), symbols: R.Shape(["n"])) -> R.Tensor(dtype="float32", ndim=1):
        m = T.int64()
        n = T.int64()
        cls = Expected
        if d:
            z: R.Tensor((n,), dtype="float32") = R.zeros(R.shape([n]), dtype="float32")
            r: R.Tensor(dtype="float32", ndim=1) = cls.main_inner(z, d, R.shape([n]))
        else:
            r: R.Tensor(dtype="float32", ndim=1) = y
        return r

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor(dtype="float32", ndim=1):
        n = T.int64()
        cls = Expected
        inner: R.Any = R.make_closure(cls.main_inner, (R.shape([n]),))
        out: R.Tensor(dtype="float32", ndim=1) = R.invoke_pure_closure(inner, (x, c), ty_args=(R.Tensor(dtype="float32", ndim=1),))
        return out
