# Sizes taken from a shape, computed with and put together end in a symbolic shape.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", "m", 4), "float32")):
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            shape: R.Shape([n, m, 4]) = R.shape_of(x)
            sizes: R.Tensor((3,), "int64") = R.shape_to_tensor(shape)
            rows: R.Tensor((), "int64") = R.take(sizes, R.const(0, "int64"), axis=0)
            row: R.Tensor((1,), "int64") = R.expand_dims(rows, axis=[0])
            rest: R.Tensor((2,), "int64") = R.strided_slice(sizes, [0], [1], [3])
            columns: R.Tensor((1,), "int64") = R.prod(rest, axis=[0], keepdims=True)
            half: R.Tensor((1,), "int64") = R.floor_divide(columns, R.const([2], "int64"))
            target: R.Tensor((3,), "int64") = R.concat((row, half, R.const([2], "int64")), axis=0)
            wanted: R.Shape(ndim=3) = R.tensor_to_shape(target)
            y: R.Tensor(dtype="float32", ndim=3) = R.reshape(x, wanted)
            z: R.Tensor(dtype="float32", ndim=3) = R.nn.relu(y)
            R.output(z)
        return z


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n", "m", 4), "float32")):
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            sizes: R.Tensor((3,), "int64") = R.shape_to_tensor(R.shape([n, m, 4]))
            rows: R.Tensor((), "int64") = R.take(sizes, R.const(0, "int64"), axis=0)
            row: R.Tensor((1,), "int64") = R.expand_dims(rows, axis=[0])
            rest: R.Tensor((2,), "int64") = R.strided_slice(sizes, [0], [1], [3])
            columns: R.Tensor((1,), "int64") = R.prod(rest, axis=[0], keepdims=True)
            half: R.Tensor((1,), "int64") = R.floor_divide(columns, R.const([2], "int64"))
            target: R.Tensor((3,), "int64") = R.concat((row, half, R.const([2], "int64")), axis=0)
            y: R.Tensor((n, m * 2, 2), "float32") = R.reshape(x, R.shape([n, m * 2, 2]))
            z: R.Tensor((n, m * 2, 2), "float32") = R.nn.relu(y)
            R.output(z)
        return z
