# A prepared weight is one piece of data: a tuple that is read whole is put together from its fields.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 8), "float32"), w: R.Tensor((8, 4), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            parts = R.split(w, 2, axis=1)
            both = (x, parts)
            R.output(both)
        return both


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((8, 4), dtype="float32"))) -> R.Tuple(R.Tensor((8, 2), dtype="float32"), R.Tensor((8, 2), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"parts_0": ["w"], "parts_1": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((8, 4), dtype="float32") = model_params[0]
            gv: R.Tuple(R.Tensor((8, 2), dtype="float32"), R.Tensor((8, 2), dtype="float32")) = R.split(w, indices_or_sections=2, axis=1)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((2, 8), dtype="float32"), parts_0: R.Tensor((8, 2), dtype="float32"), parts_1: R.Tensor((8, 2), dtype="float32")) -> R.Tuple(R.Tensor((2, 8), dtype="float32"), R.Tuple(R.Tensor((8, 2), dtype="float32"), R.Tensor((8, 2), dtype="float32"))):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        with R.dataflow():
            parts: R.Tuple(R.Tensor((8, 2), dtype="float32"), R.Tensor((8, 2), dtype="float32")) = (parts_0, parts_1)
            both: R.Tuple(R.Tensor((2, 8), dtype="float32"), R.Tuple(R.Tensor((8, 2), dtype="float32"), R.Tensor((8, 2), dtype="float32"))) = (x, parts)
            R.output(both)
        return both
