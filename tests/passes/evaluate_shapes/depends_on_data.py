# unchanged
# What depends on elements of inputs, and sizes that may not fit where they are cast to, stay.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", 6), "float32"), s: R.Tensor((2,), "int64")):
        n = T.int64()
        with R.dataflow():
            twice: R.Tensor((2,), "int64") = R.add(s, s)
            wanted: R.Shape(ndim=2) = R.tensor_to_shape(twice)
            y: R.Tensor(dtype="float32", ndim=2) = R.reshape(x, wanted)
            sizes: R.Tensor((2,), "int64") = R.shape_to_tensor(R.shape([n, 6]))
            narrow: R.Tensor((2,), "int32") = R.astype(sizes, "int32")
            other: R.Shape(ndim=2) = R.tensor_to_shape(narrow)
            z: R.Tensor(dtype="float32", ndim=2) = R.reshape(x, other)
            R.output(y, z)
        return (y, z)
