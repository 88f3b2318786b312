# Transposed parts are joined first and transposed once.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 8), "float32"), a: R.Tensor((4, 8), "float32"), b: R.Tensor((6, 8), "float32")):
        with R.dataflow():
            p = R.permute_dims(a)
            q = R.permute_dims(b, axes=[1, 0])
            w = R.concat([p, q], axis=1)
            y = R.matmul(x, w)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2, 8), "float32"), a: R.Tensor((4, 8), "float32"), b: R.Tensor((6, 8), "float32")):
        with R.dataflow():
            j = R.concat([a, b], axis=0)
            w = R.permute_dims(j)
            y = R.matmul(x, w)
            R.output(y)
        return y
