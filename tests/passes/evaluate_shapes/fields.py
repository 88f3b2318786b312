# Fields of tensors that their types say become numbers.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", 6, 4), "float16"), y: R.Tensor(ndim=2)):
        n = T.int64()
        with R.dataflow():
            a: R.Prim("int64") = R.inspect.tensor_shape_i(x, 1)
            b: R.Prim("int64") = R.inspect.tensor_stride_i(x, 0)
            c: R.Prim("int32") = R.inspect.tensor_ndim(x)
            d: R.Prim("uint8") = R.inspect.tensor_dtype_bits(x)
            e: R.Prim("uint8") = R.inspect.tensor_dtype_bits(y)
            f: R.Prim("int64") = R.inspect.tensor_shape_i(y, 0)
            R.output(a, b, c, d, e, f)
        return (a, b, c, d, e, f)


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n", 6, 4), "float16"), y: R.Tensor(ndim=2)):
        n = T.int64()
        with R.dataflow():
            e: R.Prim("uint8") = R.inspect.tensor_dtype_bits(y)
            f: R.Prim("int64") = R.inspect.tensor_shape_i(y, 0)
            R.output(e, f)
        return (R.prim_value(6), R.prim_value(24), R.prim_value(T.int32(3)), R.prim_value(T.uint8(16)), e, f)
