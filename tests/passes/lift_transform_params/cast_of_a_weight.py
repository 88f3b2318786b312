# A checked cast of a weight is checked while preparing.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor(ndim=2, dtype="float32")):
        R.func_attr({"num_input": 1})
        m = T.int64()
        k = T.int64()
        w1 = R.match_cast(w, R.Tensor((m, k), "float32"))
        w2 = R.add(w1, w1)
        z = R.zeros((m, k), "float32")
        y = R.add(w2, z)
        return y


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor(dtype="float32", ndim=2))) -> R.Tuple(R.Tensor(dtype="float32", ndim=2)):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"y": ["w"]}, "sunmao.weight_names": ["w"]})
        m = T.int64()
        k = T.int64()
        with R.dataflow():
            w: R.Tensor(dtype="float32", ndim=2) = model_params[0]
            w1: R.Tensor((m, k), dtype="float32") = R.match_cast(w, R.Tensor((m, k), dtype="float32"))
            w2: R.Tensor((m, k), dtype="float32") = R.add(w1, w1)
            z: R.Tensor((m, k), dtype="float32") = R.zeros(R.shape([m, k]), dtype="float32")
            y: R.Tensor((m, k), dtype="float32") = R.add(w2, z)
            gv: R.Tuple(R.Tensor((m, k), dtype="float32")) = (y,)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32"), y: R.Tensor(("m", "k"), dtype="float32")) -> R.Tensor(("m", "k"), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        m = T.int64()
        k = T.int64()
        z: R.Tensor((m, k), dtype="float32") = R.zeros(R.shape([m, k]), dtype="float32")
        return y
