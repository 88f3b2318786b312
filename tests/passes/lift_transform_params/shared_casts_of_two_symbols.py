# Two symbols of one function do not both become a single symbol of the other.
# pass: lift-transform-params(shared_transform=True)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def f(x: R.Tensor((), "float32"), w2: R.Tensor(dtype="float32", ndim=1), w3: R.Tensor(dtype="float32", ndim=1)):
        R.func_attr({"num_input": 1})
        n = T.int64()
        c2 = R.match_cast(w2, R.Tensor((n,), "float32"))
        c3 = R.match_cast(w3, R.Tensor((n,), "float32"))
        z = R.broadcast_to(x, R.shape([n]))
        return z

    @R.function
    def g(x: R.Tensor((), "float32"), w2: R.Tensor(dtype="float32", ndim=1), w3: R.Tensor(dtype="float32", ndim=1)):
        R.func_attr({"num_input": 1})
        k = T.int64()
        m = T.int64()
        c2 = R.match_cast(w2, R.Tensor((k,), "float32"))
        c3 = R.match_cast(w3, R.Tensor((m,), "float32"))
        z = R.broadcast_to(x, R.shape([k, m]))
        return z


@I.ir_module
class Expected:
    @R.function
    def f(x: R.Tensor((), dtype="float32"), vars_from_compile_time_params: R.Shape(["n", "m"]), w3: R.Tensor(dtype="float32", ndim=1)) -> R.Tensor(("n",), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "transform_params"})
        n = T.int64()
        m = T.int64()
        c3: R.Tensor((n,), dtype="float32") = R.match_cast(w3, R.Tensor((n,), dtype="float32"))
        z: R.Tensor((n,), dtype="float32") = R.broadcast_to(x, R.shape([n]))
        return z

    @R.function
    def g(x: R.Tensor((), dtype="float32"), vars_from_compile_time_params: R.Shape(["k", "m"]), w3: R.Tensor(dtype="float32", ndim=1)) -> R.Tensor(("k", "m"), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "transform_params"})
        k = T.int64()
        m = T.int64()
        c3: R.Tensor((m,), dtype="float32") = R.match_cast(w3, R.Tensor((m,), dtype="float32"))
        z: R.Tensor((k, m), dtype="float32") = R.broadcast_to(x, R.shape([k, m]))
        return z

    @R.function
    def transform_params(model_params: R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Tensor(dtype="float32", ndim=1))) -> R.Tuple(R.Shape(ndim=2), R.Tensor(dtype="float32", ndim=1)):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": ["f", "g"], "sunmao.prepared_from": {"vars_from_compile_time_params": ["w2", "w3"], "w3": ["w3"]}, "sunmao.weight_names": ["w2", "w3"]})
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            w2: R.Tensor(dtype="float32", ndim=1) = model_params[0]
            c2: R.Tensor((n,), dtype="float32") = R.match_cast(w2, R.Tensor((n,), dtype="float32"))
            w3: R.Tensor(dtype="float32", ndim=1) = model_params[1]
            c3: R.Tensor((n,), dtype="float32") = R.match_cast(w3, R.Tensor((n,), dtype="float32"))
            c3_1: R.Tensor((m,), dtype="float32") = R.match_cast(w3, R.Tensor((m,), dtype="float32"))
            w3_1: R.Tensor(dtype="float32", ndim=1) = model_params[1]
            gv: R.Tuple(R.Shape([n, m]), R.Tensor(dtype="float32", ndim=1)) = (R.shape([n, m]), w3_1)
            R.output(gv)
        return gv
