# Functions share what all of them do, and read the rest raw.
# pass: lift-transform-params(shared_transform=True)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def prefill(x: R.Tensor(("n", 4), "float32"), a: R.Tensor((4, "k"), "float32"), b: R.Tensor(("k", 4), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            at = R.permute_dims(a)
            bt = R.permute_dims(b)
            y = R.matmul(x, bt)
            z = R.matmul(y, at)
            R.output(z)
        return z

    @R.function
    def decode(x: R.Tensor((1, 4), "float32"), a: R.Tensor((4, "m"), "float32"), b: R.Tensor(("m", 4), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            bt = R.permute_dims(b)
            y = R.matmul(x, bt)
            z = R.matmul(x, a)
            o = (y, z)
            R.output(o)
        return o


@I.ir_module
class Expected:
    @R.function
    def decode(x: R.Tensor((1, 4), dtype="float32"), a: R.Tensor((4, "m"), dtype="float32"), bt: R.Tensor((4, "m"), dtype="float32")) -> R.Tuple(R.Tensor((1, "m"), dtype="float32"), R.Tensor((1, "m"), dtype="float32")):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "transform_params"})
        m = T.int64()
        with R.dataflow():
            y: R.Tensor((1, m), dtype="float32") = R.matmul(x, bt)
            z: R.Tensor((1, m), dtype="float32") = R.matmul(x, a)
            o: R.Tuple(R.Tensor((1, m), dtype="float32"), R.Tensor((1, m), dtype="float32")) = (y, z)
            R.output(o)
        return o

    @R.function
    def prefill(x: R.Tensor(("n", 4), dtype="float32"), a: R.Tensor((4, "k"), dtype="float32"), bt: R.Tensor((4, "k"), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "transform_params"})
        n = T.int64()
        k = T.int64()
        with R.dataflow():
            at: R.Tensor((k, 4), dtype="float32") = R.permute_dims(a)
            y: R.Tensor((n, k), dtype="float32") = R.matmul(x, bt)
            z: R.Tensor((n, 4), dtype="float32") = R.matmul(y, at)
            R.output(z)
        return z

    @R.function
    def transform_params(model_params: R.Tuple(R.Tensor((4, "m"), dtype="float32"), R.Tensor(("m", 4), dtype="float32"))) -> R.Tuple(R.Tensor((4, "m"), dtype="float32"), R.Tensor((4, "m"), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": ["decode", "prefill"], "sunmao.prepared_from": {"a": ["a"], "bt": ["b"]}, "sunmao.weight_names": ["a", "b"]})
        m = T.int64()
        with R.dataflow():
            b: R.Tensor((m, 4), dtype="float32") = model_params[1]
            bt: R.Tensor((4, m), dtype="float32") = R.permute_dims(b)
            a: R.Tensor((4, m), dtype="float32") = model_params[0]
            gv: R.Tuple(R.Tensor((4, m), dtype="float32"), R.Tensor((4, m), dtype="float32")) = (a, bt)
            R.output(gv)
        return gv
