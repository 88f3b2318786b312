# A transposed weight is prepared by the transform; a weight read as it is stays in its place.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T



@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((3, 4), "float32"), b: R.Tensor((3,), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            wt = R.permute_dims(w)
            y = R.matmul(x, wt)
            z = R.add(y, b)
            R.output(z)
        return z


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), b: R.Tensor((3,), "float32"), wt: R.Tensor((4, 3), "float32")):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        with R.dataflow():
            y = R.matmul(x, wt)
            z = R.add(y, b)
            R.output(z)
        return z

    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((3, 4), "float32"), R.Tensor((3,), "float32"))):
        R.func_attr(
            {"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.weight_names": ["w", "b"]}
        )
        with R.dataflow():
            w = model_params[0]
            b = model_params[1]
            wt = R.permute_dims(w)
            gv = (b, wt)
            R.output(gv)
        return gv
