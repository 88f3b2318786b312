# Without a name, new work goes into the last stage, whatever that is called.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), w1: R.Tensor((2, 2), "float32")):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "pack"})
        w2 = R.add(w1, w1)
        y = R.matmul(x, w2)
        return y

    @R.function
    def main_transform_params(z: R.Tensor((3,), "float32")):
        return z

    @R.function
    def pack(model_params: R.Tuple(R.Tensor((2, 2), "float32"))):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w = model_params[0]
            w1 = R.permute_dims(w)
            gv = (w1,)
            R.output(gv)
        return gv


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(z: R.Tensor((3,), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        return z

    @R.function
    def pack(model_params: R.Tuple(R.Tensor((2, 2), dtype="float32"))) -> R.Tuple(R.Tensor((2, 2), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"w2": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((2, 2), dtype="float32") = model_params[0]
            w1: R.Tensor((2, 2), dtype="float32") = R.permute_dims(w)
            w2: R.Tensor((2, 2), dtype="float32") = R.add(w1, w1)
            gv: R.Tuple(R.Tensor((2, 2), dtype="float32")) = (w2,)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((2, 2), dtype="float32"), w2: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "pack"})
        y: R.Tensor((2, 2), dtype="float32") = R.matmul(x, w2)
        return y
