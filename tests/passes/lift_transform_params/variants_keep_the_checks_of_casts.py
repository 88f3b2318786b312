# A cast that checks a symbol of another cast is not taken for one that defines a symbol of its own.
# pass: lift-transform-params(shared_transform=True, variants=True)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def f(x: R.Tensor((), "float32"), w2: R.Tensor(dtype="float32", ndim=1), w3: R.Tensor(dtype="float32", ndim=1)):
        R.func_attr({"num_input": 1})
        n = T.int64()
        k = T.int64()
        c2 = R.match_cast(w2, R.Tensor((n,), "float32"))
        c3 = R.match_cast(w3, R.Tensor((k,), "float32"))
        d = R.concat([c2, c3])
        z = R.multiply(x, d)
        return z

    @R.function
    def g(x: R.Tensor((), "float32"), w2: R.Tensor(dtype="float32", ndim=1), w3: R.Tensor(dtype="float32", ndim=1)):
        R.func_attr({"num_input": 1})
        m = T.int64()
        c3 = R.match_cast(w3, R.Tensor((m,), "float32"))
        c2 = R.match_cast(w2, R.Tensor((m,), "float32"))
        d = R.concat([c2, c3])
        z = R.multiply(x, d)
        return z


@I.ir_module
class Expected:
    @R.function
    def f(x: R.Tensor((), dtype="float32"), vars_from_compile_time_params: R.Shape(["n", "k"]), d: R.Tensor(("n + k",), dtype="float32"), d1: R.Tensor(("k * 2",), dtype="float32")) -> R.Tensor(("n + k",), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "transform_params"})
        n = T.int64()
        k = T.int64()
        z: R.Tensor((n + k,), dtype="float32") = R.multiply(x, d)
        return z

    @R.function
    def g(x: R.Tensor((), dtype="float32"), vars_from_compile_time_params: R.Shape(["n", "m"]), d: R.Tensor(("n + m",), dtype="float32"), d1: R.Tensor(("m * 2",), dtype="float32")) -> R.Tensor(("m * 2",), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "transform_params"})
        n = T.int64()
        m = T.int64()
        z: R.Tensor((m * 2,), dtype="float32") = R.multiply(x, d1)
        return z

    @R.function
    def transform_params(model_params: R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Tensor(dtype="float32", ndim=1))) -> R.Tuple(R.Shape(ndim=2), R.Tensor(dtype="float32", ndim=1), R.Tensor(dtype="float32", ndim=1)):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": ["f", "g"], "sunmao.prepared_from": {"d": ["w2", "w3"], "d1": ["w2", "w3"], "vars_from_compile_time_params": ["w2", "w3"]}, "sunmao.weight_names": ["w2", "w3"]})
        n = T.int64()
        k = T.int64()
        with R.dataflow():
            w2: R.Tensor(dtype="float32", ndim=1) = model_params[0]
            c2: R.Tensor((n,), dtype="float32") = R.match_cast(w2, R.Tensor((n,), dtype="float32"))
            w3: R.Tensor(dtype="float32", ndim=1) = model_params[1]
            c3: R.Tensor((k,), dtype="float32") = R.match_cast(w3, R.Tensor((k,), dtype="float32"))
            d: R.Tensor((n + k,), dtype="float32") = R.concat((c2, c3))
            c2_1: R.Tensor((k,), dtype="float32") = R.match_cast(w2, R.Tensor((k,), dtype="float32"))
            d_1: R.Tensor((k * 2,), dtype="float32") = R.concat((c2_1, c3))
            gv: R.Tuple(R.Shape([n, k]), R.Tensor((n + k,), dtype="float32"), R.Tensor((k * 2,), dtype="float32")) = (R.shape([n, k]), d, d_1)
            R.output(gv)
        return gv
