# error
# A stage gives what the next one takes.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32")):
        R.func_attr({"num_input": 1, "sunmao.param_transform": ["one", "two"]})
        t = R.permute_dims(w)
        y = R.matmul(x, t)
        return y

    @R.function
    def one(p: R.Tuple(R.Tensor((2, 2), "float32"))):  # E0532: `one` is named as a parameter transform, and what it
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main"})
        return p

    @R.function
    def two(p: R.Tuple(R.Tensor((3, 2), "float32"), R.Tensor((2, 2), "float32"))):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main"})
        with R.dataflow():
            w = p[1]
            gv = (w,)
            R.output(gv)
        return gv
