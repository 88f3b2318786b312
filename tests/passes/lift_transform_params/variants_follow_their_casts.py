# Steps of variants follow the casts that define their symbols.
# pass: lift-transform-params(shared_transform=True, variants=True)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def first(x: R.Tensor((4,), "float32"), w1: R.Tensor((4,), "float32"), w2: R.Tensor(dtype="float32", ndim=1)):
        R.func_attr({"num_input": 1})
        n = T.int64()
        c = R.match_cast(w2, R.Tensor((n,), "float32"))
        a = R.broadcast_to(R.sum(w1), R.shape([n]))
        z = R.multiply(R.sum(x), R.add(a, c))
        return z

    @R.function
    def second(x: R.Tensor((4,), "float32"), w1: R.Tensor((4,), "float32"), w2: R.Tensor(dtype="float32", ndim=1)):
        R.func_attr({"num_input": 1})
        z = R.multiply(R.sum(x), R.exp(w1))
        return z


@I.ir_module
class Expected:
    @R.function
    def first(x: R.Tensor((4,), dtype="float32"), lv: R.Tensor(("n",), dtype="float32"), lv1: R.Tensor((4,), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "transform_params"})
        n = T.int64()
        lv_1: R.Tensor((), dtype="float32") = R.sum(x)
        z: R.Tensor((n,), dtype="float32") = R.multiply(lv_1, lv)
        return z

    @R.function
    def second(x: R.Tensor((4,), dtype="float32"), lv: R.Tensor(("n",), dtype="float32"), lv1: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "transform_params"})
        n = T.int64()
        lv_1: R.Tensor((), dtype="float32") = R.sum(x)
        z: R.Tensor((4,), dtype="float32") = R.multiply(lv_1, lv1)
        return z

    @R.function
    def transform_params(model_params: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor(dtype="float32", ndim=1))) -> R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Tensor((4,), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": ["first", "second"], "sunmao.prepared_from": {"lv": ["w1", "w2"], "lv1": ["w1"]}, "sunmao.weight_names": ["w1", "w2"]})
        n = T.int64()
        with R.dataflow():
            w1: R.Tensor((4,), dtype="float32") = model_params[0]
            lv: R.Tensor((), dtype="float32") = R.sum(w1)
            lv_1: R.Tensor((4,), dtype="float32") = R.exp(w1)
            w2: R.Tensor(dtype="float32", ndim=1) = model_params[1]
            c: R.Tensor((n,), dtype="float32") = R.match_cast(w2, R.Tensor((n,), dtype="float32"))
            a: R.Tensor((n,), dtype="float32") = R.broadcast_to(lv, R.shape([n]))
            lv_2: R.Tensor((n,), dtype="float32") = R.add(a, c)
            gv: R.Tuple(R.Tensor((n,), dtype="float32"), R.Tensor((4,), dtype="float32")) = (lv_2, lv_1)
            R.output(gv)
        return gv
