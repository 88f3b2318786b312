# Shapes that constants hold are shapes that the types tell; small new tensors are constants.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((6,), "float32")):
        with R.dataflow():
            size = R.add(R.const([1, 2], "int64"), R.const([1, 1], "int64"))
            shape: R.Shape(ndim=2) = R.tensor_to_shape(size)
            a: R.Tensor(ndim=2, dtype="float32") = R.reshape(x, shape)
            b = R.ones((2, 3), "float32")
            c = R.zeros((2048,), "float32")
            gv = (a, b, c)
            R.output(gv)
        return gv


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((6,), "float32")):
        with R.dataflow():
            a = R.reshape(x, R.shape([2, 3]))
            c = R.zeros((2048,), "float32")
            gv = (a, R.const([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]], "float32"), c)
            R.output(gv)
        return gv
