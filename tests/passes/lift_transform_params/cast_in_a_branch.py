# A cast of a weight in a branch stays, and what follows from it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2,), "float32"), c: R.Tensor((), "bool"), w: R.Tensor("float32", ndim=1)):
        R.func_attr({"num_input": 2})
        e = R.exp(w)
        if c:
            t = R.match_cast(e, R.Tensor((2,), "float32"))
            u = R.negative(t)
            r = R.add(x, u)
        else:
            r = x
        return r


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor(dtype="float32", ndim=1))) -> R.Tuple(R.Tensor(dtype="float32", ndim=1)):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"e": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor(dtype="float32", ndim=1) = model_params[0]
            e: R.Tensor(dtype="float32", ndim=1) = R.exp(w)
            gv: R.Tuple(R.Tensor(dtype="float32", ndim=1)) = (e,)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((2,), dtype="float32"), c: R.Tensor((), dtype="bool"), e: R.Tensor(dtype="float32", ndim=1)) -> R.Tensor((2,), dtype="float32"):
        R.func_attr({"num_input": 2, "sunmao.param_transform": "main_transform_params"})
        if c:
            t: R.Tensor((2,), dtype="float32") = R.match_cast(e, R.Tensor((2,), dtype="float32"))
            u: R.Tensor((2,), dtype="float32") = R.negative(t)
            r: R.Tensor((2,), dtype="float32") = R.add(x, u)
        else:
            r: R.Tensor((2,), dtype="float32") = x
        return r
