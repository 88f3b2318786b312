# error
# A transform that the module calls itself cannot fetch its weights.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((2,), "float32"))):  # E0504: `main` calls the parameter transform
        R.func_attr({"num_input": 0})
        w = model_params[0]
        v = R.negative(w)
        return (v,)

    @R.function
    def main(x: R.Tensor((2,), "float32"), w: R.Tensor((2,), "float32")):
        cls = Before
        t = cls.main_transform_params((w,))
        v = t[0]
        y = R.add(x, v)
        return y
