# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((4,), "float32"), a: R.Tensor(ndim=1, dtype="float32"), b: R.Tensor(ndim=1, dtype="float32")):
        k = T.int64()
        if c:
            q = R.match_cast(a, R.Tensor((k,), "float32"))
            y = R.add(x, x)
        else:
            q = R.match_cast(b, R.Tensor((k,), "float32"))
            y = R.multiply(x, x)
        o = R.ones(R.shape([k]), "float32")
        return (y, o)
