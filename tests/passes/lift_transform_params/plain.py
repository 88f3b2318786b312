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
    def main_transform_params(model_params: R.Tuple(R.Tensor((3, 4), dtype="float32"), R.Tensor((3,), dtype="float32"))) -> R.Tuple(R.Tensor((3,), dtype="float32"), R.Tensor((4, 3), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"b": ["b"], "wt": ["w"]}, "sunmao.weight_names": ["w", "b"]})
        with R.dataflow():
            w: R.Tensor((3, 4), dtype="float32") = model_params[0]
            wt: R.Tensor((4, 3), dtype="float32") = R.permute_dims(w)
            b: R.Tensor((3,), dtype="float32") = model_params[1]
            gv: R.Tuple(R.Tensor((3,), dtype="float32"), R.Tensor((4, 3), dtype="float32")) = (b, wt)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), b: R.Tensor((3,), dtype="float32"), wt: R.Tensor((4, 3), dtype="float32")) -> R.Tensor(("n", 3), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        n = T.int64()
        with R.dataflow():
            y: R.Tensor((n, 3), dtype="float32") = R.matmul(x, wt)
            z: R.Tensor((n, 3), dtype="float32") = R.add(y, b)
            R.output(z)
        return z
