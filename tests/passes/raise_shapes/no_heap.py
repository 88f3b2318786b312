# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def fill(H: T.Buffer((T.int64(4),), "int64")):
        H[T.int64(2)] = H[T.int64(0)] * T.int64(2)

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "int64"), y: R.Tensor(("n",), "float32")):
        cls = Before
        n = T.int64()
        _ = cls.fill(x)
        z = R.call_packed("my.function", y, R.shape([n]), ty_args=[R.Tensor((n,), "float32")])
        return z
