# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def f(x: R.Tensor(("2 * n",), "float32"), s: R.Shape(["n"])) -> R.Tensor(("2 * n",), "float32"):
        n = T.int64()
        y = R.add(x, x)
        return y

    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor(("n",), "float32"), v: R.Tensor(("2 * n",), "float32")):
        n = T.int64()
        cls = Before
        if c:
            y = cls.f(v, R.shape([n]))
        else:
            y = v
        return y
