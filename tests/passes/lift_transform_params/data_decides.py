# Work whose sizes the data of a weight decides stays, and so does what needs it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32"), w: R.Tensor((1,), "int64")):
        R.func_attr({"num_input": 1})
        n = T.int64()
        with R.dataflow():
            v = R.add(w, w)
            s = R.tensor_to_shape(v)
            s1 = R.match_cast(s, R.Shape([n]))
            y = R.zeros(R.shape([n]), "float32")
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((1,), dtype="int64"))) -> R.Tuple(R.Tensor((1,), dtype="int64")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"v": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((1,), dtype="int64") = model_params[0]
            v: R.Tensor((1,), dtype="int64") = R.add(w, w)
            gv: R.Tuple(R.Tensor((1,), dtype="int64")) = (v,)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), v: R.Tensor((1,), dtype="int64")) -> R.Tensor(dtype="float32", ndim=1):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        n = T.int64()
        with R.dataflow():
            s: R.Shape(ndim=1) = R.tensor_to_shape(v)
            s1: R.Shape([n]) = R.match_cast(s, R.Shape([n]))
            y: R.Tensor((n,), dtype="float32") = R.zeros(R.shape([n]), dtype="float32")
            R.output(y)
        return y
