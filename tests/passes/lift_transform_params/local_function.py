# A local function that reads no weight may be called on both sides.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2,), "float32"), w: R.Tensor((2,), "float32")):
        R.func_attr({"num_input": 1})

        @R.function
        def twice(a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            b = R.add(a, a)
            return b

        w2 = twice(w)
        x2 = twice(x)
        y = R.add(x2, w2)
        return y


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((2,), dtype="float32"))) -> R.Tuple(R.Tensor((2,), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"w2": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            @R.function
            def twice(a: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
                b: R.Tensor((2,), dtype="float32") = R.add(a, a)
                return b
            w: R.Tensor((2,), dtype="float32") = model_params[0]
            w2: R.Tensor((2,), dtype="float32") = twice(w)
            gv: R.Tuple(R.Tensor((2,), dtype="float32")) = (w2,)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((2,), dtype="float32"), w2: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        @R.function
        def twice(a: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
            b: R.Tensor((2,), dtype="float32") = R.add(a, a)
            return b
        x2: R.Tensor((2,), dtype="float32") = twice(x)
        y: R.Tensor((2,), dtype="float32") = R.add(x2, w2)
        return y
