# A check of a size that an input says stays: a cast does not say what its value uses.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), w: R.Tensor((4,), "float32")):
        n = T.int64()
        R.func_attr({"num_input": 1})
        with R.dataflow():
            check = R.match_cast(R.shape([T.max(n, 3)]), R.Shape([n]))
            v = R.add(w, w)
            s = R.sum(x)
            y = R.add(v, s)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((4,), dtype="float32"))) -> R.Tuple(R.Tensor((4,), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"v": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((4,), dtype="float32") = model_params[0]
            v: R.Tensor((4,), dtype="float32") = R.add(w, w)
            gv: R.Tuple(R.Tensor((4,), dtype="float32")) = (v,)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), v: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        n = T.int64()
        with R.dataflow():
            check: R.Shape([n]) = R.match_cast(R.shape([T.max(n, 3)]), R.Shape([n]))
            s: R.Tensor((), dtype="float32") = R.sum(x)
            y: R.Tensor((4,), dtype="float32") = R.add(v, s)
            R.output(y)
        return y
