# Work on weights leaves the branches of a choice that an input makes.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), c: R.Tensor((), "bool"), w: R.Tensor((4, 3), "float32"), v: R.Tensor((3, 4), "float32")):
        R.func_attr({"num_input": 2})
        if c:
            t = R.permute_dims(w)
            p = R.matmul(x, t)
            r = p
        else:
            s = R.builtin.stop_lift_params(R.exp(v))
            n = R.negative(s)
            q = R.matmul(x, n)
            r = q
        y = R.nn.relu(r)
        return y


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((4, 3), dtype="float32"), R.Tensor((3, 4), dtype="float32"))) -> R.Tuple(R.Tensor((3, 4), dtype="float32"), R.Tensor((3, 4), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"lv": ["v"], "t": ["w"]}, "sunmao.weight_names": ["w", "v"]})
        with R.dataflow():
            w: R.Tensor((4, 3), dtype="float32") = model_params[0]
            t: R.Tensor((3, 4), dtype="float32") = R.permute_dims(w)
            v: R.Tensor((3, 4), dtype="float32") = model_params[1]
            lv: R.Tensor((3, 4), dtype="float32") = R.exp(v)
            gv: R.Tuple(R.Tensor((3, 4), dtype="float32"), R.Tensor((3, 4), dtype="float32")) = (t, lv)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32"), c: R.Tensor((), dtype="bool"), t: R.Tensor((3, 4), dtype="float32"), lv: R.Tensor((3, 4), dtype="float32")) -> R.Tensor((2, 4), dtype="float32"):
        R.func_attr({"num_input": 2, "sunmao.param_transform": "main_transform_params"})
        if c:
            r: R.Tensor((2, 4), dtype="float32") = R.matmul(x, t)
        else:
            s: R.Tensor((3, 4), dtype="float32") = R.builtin.stop_lift_params(lv)
            n: R.Tensor((3, 4), dtype="float32") = R.negative(s)
            r: R.Tensor((2, 4), dtype="float32") = R.matmul(x, n)
        y: R.Tensor((2, 4), dtype="float32") = R.nn.relu(r)
        return y
