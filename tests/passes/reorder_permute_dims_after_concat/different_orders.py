# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(a: R.Tensor((4, 4), "float32"), b: R.Tensor((4, 4), "float32")):
        p = R.permute_dims(a, axes=[0, 1])
        q = R.permute_dims(b, axes=[1, 0])
        w = R.concat([p, q], axis=1)
        return w
