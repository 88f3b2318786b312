# Each parameter is read where it is used.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2,), "float32"), a: R.Tensor((2,), "float32"), b: R.Tensor((2,), "float32"), unused: R.Tensor((9,), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y = R.add(x, a)
            z = R.multiply(y, b)
            u = R.add(z, a)
            R.output(u)
        return u


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2,), dtype="float32"), model_params: R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32"), R.Tensor((9,), dtype="float32"))) -> R.Tensor((2,), dtype="float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a: R.Tensor((2,), dtype="float32") = model_params[0]
            y: R.Tensor((2,), dtype="float32") = R.add(x, a)
            b: R.Tensor((2,), dtype="float32") = model_params[1]
            z: R.Tensor((2,), dtype="float32") = R.multiply(y, b)
            a_1: R.Tensor((2,), dtype="float32") = model_params[0]
            u: R.Tensor((2,), dtype="float32") = R.add(z, a_1)
            R.output(u)
        return u
