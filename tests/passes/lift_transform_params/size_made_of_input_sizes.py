# A weight whose size is made of sizes of inputs has a size of its own in the transform.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("m", "n"), "float32"), w: R.Tensor(("m * n",), "float32")):
        R.func_attr({"num_input": 1})
        m = T.int64()
        n = T.int64()
        with R.dataflow():
            w1 = R.add(w, R.const(1, "float32"))
            w2 = R.reshape(w1, (m, n))
            y = R.multiply(x, w2)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor(("size_0",), dtype="float32"))) -> R.Tuple(R.Tensor(("size_0",), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"w": ["w"]}, "sunmao.weight_names": ["w"]})
        size_0 = T.int64()
        return model_params

    @R.function
    def main(x: R.Tensor(("m", "n"), dtype="float32"), w: R.Tensor(("m * n",), dtype="float32")) -> R.Tensor(("m", "n"), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        m = T.int64()
        n = T.int64()
        with R.dataflow():
            w1: R.Tensor((m * n,), dtype="float32") = R.add(w, R.const(1.0, "float32"))
            w2: R.Tensor((m, n), dtype="float32") = R.reshape(w1, R.shape([m, n]))
            y: R.Tensor((m, n), dtype="float32") = R.multiply(x, w2)
            R.output(y)
        return y
