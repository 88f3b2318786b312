# A value of known shape makes its variable known.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def main(x: R.Tensor(("n", 4), "float32")) -> R.Tensor(("n", 4), "float32"):
        a = x
        b: R.Tensor(ndim=2, dtype="float32") = R.add(a, a)
        return b


@I.ir_module
class Expected:
    @R.function(private=True)
    def main(x: R.Tensor(("n", 4), "float32")) -> R.Tensor(("n", 4), "float32"):
        n = T.int64()
        b: R.Tensor((n, 4), "float32") = R.add(x, x)
        return b
