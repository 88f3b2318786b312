# error
# It cannot go in front of later stages.
# pass: lift-transform-params(name=pack)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), w2: R.Tensor((2, 2), "float32")):
        R.func_attr({"num_input": 1, "sunmao.param_transform": ["pack", "scale"]})
        w3 = R.add(w2, w2)
        y = R.matmul(x, w3)
        return y

    @R.function
    def pack(model_params: R.Tuple(R.Tensor((2, 2), "float32"))):  # E0529: `pack` prepares the weights of `main` in
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w = model_params[0]
            w1 = R.permute_dims(w)
            gv = (w1,)
            R.output(gv)
        return gv

    @R.function
    def scale(model_params: R.Tuple(R.Tensor((2, 2), "float32"))):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.weight_names": ["w1"]})
        with R.dataflow():
            w1 = model_params[0]
            w2 = R.multiply(w1, w1)
            gv = (w2,)
            R.output(gv)
        return gv
