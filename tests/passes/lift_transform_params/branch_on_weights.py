# A branch that depends on weights alone is taken while preparing.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32"), c: R.Tensor((), "bool")):
        R.func_attr({"num_input": 1})
        if c:
            t = R.permute_dims(w)
            a = R.add(t, w)
        else:
            a = R.multiply(w, w)
        y = R.matmul(x, a)
        return y


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((2, 2), dtype="float32"), R.Tensor((), dtype="bool"))) -> R.Tuple(R.Tensor((2, 2), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"a": ["w", "c"]}, "sunmao.weight_names": ["w", "c"]})
        c: R.Tensor((), dtype="bool") = model_params[1]
        if c:
            w: R.Tensor((2, 2), dtype="float32") = model_params[0]
            t: R.Tensor((2, 2), dtype="float32") = R.permute_dims(w)
            w_1: R.Tensor((2, 2), dtype="float32") = model_params[0]
            a: R.Tensor((2, 2), dtype="float32") = R.add(t, w_1)
        else:
            w_2: R.Tensor((2, 2), dtype="float32") = model_params[0]
            w_3: R.Tensor((2, 2), dtype="float32") = model_params[0]
            a: R.Tensor((2, 2), dtype="float32") = R.multiply(w_2, w_3)
        gv: R.Tuple(R.Tensor((2, 2), dtype="float32")) = (a,)
        return gv

    @R.function
    def main(x: R.Tensor((2, 2), dtype="float32"), a: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        y: R.Tensor((2, 2), dtype="float32") = R.matmul(x, a)
        return y
