# error: E0514: lazy-transform-params: fget_item names the function that gets a weight
# Weights are fetched by a function.
# pass: lazy-transform-params(fget_item="")
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((3, 4), "float32"), R.Tensor(("k",), "float32"))):
        R.func_attr({"num_input": 0})
        k = T.int64()
        with R.dataflow():
            w = model_params[0]
            t = R.permute_dims(w)
            b = model_params[1]
            gv = (b, t)
            R.output(gv)
        return gv
