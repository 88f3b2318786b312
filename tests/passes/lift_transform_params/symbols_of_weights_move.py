# Sizes that weights define move with them.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, "k"), "float32"), b: R.Tensor(("k",), "float32")):
        R.func_attr({"num_input": 1})
        k = T.int64()
        with R.dataflow():
            wide = R.broadcast_to(b, (2, k))
            y = R.matmul(x, w)
            z = R.add(y, wide)
            R.output(z)
        return z


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((4, "k"), dtype="float32"), R.Tensor(("k",), dtype="float32"))) -> R.Tuple(R.Tensor((4, "k"), dtype="float32"), R.Tensor((2, "k"), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"w": ["w"], "wide": ["b"]}, "sunmao.weight_names": ["w", "b"]})
        k = T.int64()
        with R.dataflow():
            b: R.Tensor((k,), dtype="float32") = model_params[1]
            wide: R.Tensor((2, k), dtype="float32") = R.broadcast_to(b, R.shape([2, k]))
            w: R.Tensor((4, k), dtype="float32") = model_params[0]
            gv: R.Tuple(R.Tensor((4, k), dtype="float32"), R.Tensor((2, k), dtype="float32")) = (w, wide)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((2, 4), dtype="float32"), w: R.Tensor((4, "k"), dtype="float32"), wide: R.Tensor((2, "k"), dtype="float32")) -> R.Tensor((2, "k"), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        k = T.int64()
        with R.dataflow():
            y: R.Tensor((2, k), dtype="float32") = R.matmul(x, w)
            z: R.Tensor((2, k), dtype="float32") = R.add(y, wide)
            R.output(z)
        return z
