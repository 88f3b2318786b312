# Work whose size only inputs say stays, though it reads weights alone.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        n = T.int64()
        with R.dataflow():
            w2 = R.multiply(w, w)
            b = R.broadcast_to(w2, (n, 4))
            y = R.add(x, b)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((4,), dtype="float32"))) -> R.Tuple(R.Tensor((4,), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"w2": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((4,), dtype="float32") = model_params[0]
            w2: R.Tensor((4,), dtype="float32") = R.multiply(w, w)
            gv: R.Tuple(R.Tensor((4,), dtype="float32")) = (w2,)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), w2: R.Tensor((4,), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        n = T.int64()
        with R.dataflow():
            b: R.Tensor((n, 4), dtype="float32") = R.broadcast_to(w2, R.shape([n, 4]))
            y: R.Tensor((n, 4), dtype="float32") = R.add(x, b)
            R.output(y)
        return y
