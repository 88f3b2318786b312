# Weights are seen through tuples of inputs and weights at once, and no tuple that is left over holds on to one.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2, 8), "float32"), w: R.Tensor((8, 4), "float32")):
        R.func_attr({"num_input": 1})
        t = (x, w)
        t2 = (t, t)
        a = t2[0]
        u = a[1]
        v = R.add(u, u)
        t3 = (x, v)
        b = t3[1]
        v1 = R.add(b, b)
        y = R.matmul(x, v1)
        return y


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((8, 4), dtype="float32"))) -> R.Tuple(R.Tensor((8, 4), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"v1": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((8, 4), dtype="float32") = model_params[0]
            v: R.Tensor((8, 4), dtype="float32") = R.add(w, w)
            v1: R.Tensor((8, 4), dtype="float32") = R.add(v, v)
            gv: R.Tuple(R.Tensor((8, 4), dtype="float32")) = (v1,)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((2, 8), dtype="float32"), v1: R.Tensor((8, 4), dtype="float32")) -> R.Tensor((2, 4), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        y: R.Tensor((2, 4), dtype="float32") = R.matmul(x, v1)
        return y
