# A weight whose shape is a parameter that stays keeps that shape in the tuple.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(dtype="float32", ndim=1), shape: R.Shape(ndim=1), w: R.Tensor(shape, dtype="float32")) -> R.Tensor(dtype="float32", ndim=1):
        R.func_attr({"num_input": 2})
        y = R.add(x, w)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(dtype="float32", ndim=1), shape: R.Shape(ndim=1), model_params: R.Tuple(R.Tensor(shape, dtype="float32"))) -> R.Tensor(dtype="float32", ndim=1):
        R.func_attr({"num_input": 2})
        w: R.Tensor(shape, dtype="float32") = model_params[0]
        y: R.Tensor(dtype="float32", ndim=1) = R.add(x, w)
        return y
