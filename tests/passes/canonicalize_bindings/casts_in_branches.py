# What a cast says of a known symbol holds in its branch; the result is cast back.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(
        s: R.Tensor(("n",), "float32"), a: R.Tensor((16,), "float32"), b: R.Tensor((32,), "float32"), c: R.Tensor((), "bool")
    ) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        if c:
            p = R.match_cast(a, R.Tensor((n,), "float32"))
            q: R.Tensor((n,), "float32") = R.add(p, p)
            r = q
        else:
            p = R.match_cast(b, R.Tensor((n,), "float32"))
            q: R.Tensor((n,), "float32") = R.add(p, p)
            r = q
        y = R.add(r, s)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(
        s: R.Tensor(("n",), "float32"), a: R.Tensor((16,), "float32"), b: R.Tensor((32,), "float32"), c: R.Tensor((), "bool")
    ) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        if c:
            p = R.match_cast(a, R.Tensor((n,), "float32"))
            q: R.Tensor((16,), "float32") = R.add(p, p)
            q2 = R.match_cast(q, R.Tensor((n,), "float32"))
            r = q2
        else:
            p = R.match_cast(b, R.Tensor((n,), "float32"))
            q: R.Tensor((32,), "float32") = R.add(p, p)
            q2 = R.match_cast(q, R.Tensor((n,), "float32"))
            r = q2
        y = R.add(r, s)
        return y
