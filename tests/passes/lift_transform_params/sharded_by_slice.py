# So are slices.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((8, 4), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a = R.strided_slice(w, axes=[0], begin=[0], end=[4])
            b = R.strided_slice(w, axes=[0], begin=[4], end=[8])
            y = R.matmul(x, a)
            z = R.matmul(y, b)
            R.output(z)
        return z


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((8, 4), dtype="float32"))) -> R.Tuple(R.Tensor((4, 4), dtype="float32"), R.Tensor((4, 4), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"a": ["w"], "b": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((8, 4), dtype="float32") = model_params[0]
            a: R.Tensor((4, 4), dtype="float32") = R.strided_slice(w, (0,), (0,), (4,))
            b: R.Tensor((4, 4), dtype="float32") = R.strided_slice(w, (0,), (4,), (8,))
            gv: R.Tuple(R.Tensor((4, 4), dtype="float32"), R.Tensor((4, 4), dtype="float32")) = (a, b)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((2, 4), dtype="float32"), a: R.Tensor((4, 4), dtype="float32"), b: R.Tensor((4, 4), dtype="float32")) -> R.Tensor((2, 4), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        with R.dataflow():
            y: R.Tensor((2, 4), dtype="float32") = R.matmul(x, a)
            z: R.Tensor((2, 4), dtype="float32") = R.matmul(y, b)
            R.output(z)
        return z
