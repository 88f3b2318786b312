# A variable whose type follows from an operand that has become known is the one that is read behind it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((6,), "float32")):
        with R.dataflow():
            shape: R.Shape(ndim=2) = R.shape([2, 3])
            a: R.Tensor(ndim=2, dtype="float32") = R.reshape(x, R.shape([2, 3]))
            b: R.Tensor(ndim=2, dtype="float32") = R.reshape(a, shape)
            R.output(b)
        return b


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((6,), "float32")):
        shape: R.Shape(ndim=2) = R.shape([2, 3])
        a: R.Tensor(ndim=2, dtype="float32") = R.reshape(x, R.shape([2, 3]))
        b: R.Tensor(shape, dtype="float32") = R.reshape(a, shape)
        return b
