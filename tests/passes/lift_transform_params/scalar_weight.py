# A scalar among the weights is a size in the transform.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), extent: R.Prim("int64"), w: R.Tensor(("extent",), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            w2 = R.multiply(w, w)
            s = R.sum(w2)
            y = R.add(x, s)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Prim(value="extent"), R.Tensor(dtype="float32", ndim=1))) -> R.Tuple(R.Tensor((), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"s": ["w"]}, "sunmao.weight_names": ["extent", "w"]})
        extent = T.int64()
        extent_1: T.int64 = model_params[0]
        with R.dataflow():
            w: R.Tensor(dtype="float32", ndim=1) = model_params[1]
            w_1: R.Tensor((extent,), dtype="float32") = R.match_cast(w, R.Tensor((extent,), dtype="float32"))
            w_2: R.Tensor((extent,), dtype="float32") = R.match_cast(w, R.Tensor((extent,), dtype="float32"))
            w2: R.Tensor((extent,), dtype="float32") = R.multiply(w_1, w_2)
            s: R.Tensor((), dtype="float32") = R.sum(w2)
            gv: R.Tuple(R.Tensor((), dtype="float32")) = (s,)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), s: R.Tensor((), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        n = T.int64()
        with R.dataflow():
            y: R.Tensor((n,), dtype="float32") = R.add(x, s)
            R.output(y)
        return y
