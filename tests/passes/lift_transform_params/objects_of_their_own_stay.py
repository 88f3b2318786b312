# What allocates or draws random numbers stays in its function, and so does a call of a function that does.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def room(w: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        a = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        return a

    @R.function
    def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        cls = Before
        a = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        b = cls.room(w)
        c = R.nn.dropout(w, rate=0.5)
        d = R.exp(w)
        return (a, b, c, R.add(x, d))


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((4,), dtype="float32"))) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"d": ["w"], "w": ["w"]}, "sunmao.weight_names": ["w"]})
        with R.dataflow():
            w: R.Tensor((4,), dtype="float32") = model_params[0]
            d: R.Tensor((4,), dtype="float32") = R.exp(w)
            w_1: R.Tensor((4,), dtype="float32") = model_params[0]
            gv: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = (w_1, d)
            R.output(gv)
        return gv

    @R.function(private=True)
    def room(w: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        a: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), 0, R.str("global"))
        return a

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), w: R.Tensor((4,), dtype="float32"), d: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")), R.Tensor((4,), dtype="float32")):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        cls = Expected
        a: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), 0, R.str("global"))
        b: R.Tensor((4,), dtype="float32") = cls.room(w)
        c: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = R.nn.dropout(w)
        lv: R.Tensor((4,), dtype="float32") = R.add(x, d)
        return (a, b, c, lv)
