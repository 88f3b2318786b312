# A shape that is bundled too is written out, where types name it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2,), "float32"), s: R.Shape(ndim=1), w: R.Tensor(s, "float32")):
        R.func_attr({"num_input": 1})
        y = R.add(w, w)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2,), dtype="float32"), model_params: R.Tuple(R.Shape(["s_0"]), R.Tensor(("s_0",), dtype="float32"))) -> R.Tensor(("s_0",), dtype="float32"):
        R.func_attr({"num_input": 1})
        s_0 = T.int64()
        w: R.Tensor((s_0,), dtype="float32") = model_params[1]
        w_1: R.Tensor((s_0,), dtype="float32") = model_params[1]
        y: R.Tensor((s_0,), dtype="float32") = R.add(w, w_1)
        return y
