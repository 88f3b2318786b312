# An axis that counts from the end is followed.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 8), "float32"), a: R.Tensor((4, 8), "float32"), b: R.Tensor((6, 8), "float32")):
        p = R.permute_dims(a)
        q = R.permute_dims(b)
        w = R.concat([p, q], axis=-1)
        return w


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 8), "float32"), a: R.Tensor((4, 8), "float32"), b: R.Tensor((6, 8), "float32")):
        j = R.concat([a, b], axis=0)
        w = R.permute_dims(j)
        return w
