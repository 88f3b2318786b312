# What a callee stops, or draws at random, stays where it is called.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def stopped(w: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        s = R.builtin.stop_lift_params(w)
        t = R.exp(s)
        return t

    @R.function(private=True)
    def random(w: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        d = R.nn.dropout(w, 0.5)
        t = d[0]
        return t

    @R.function(private=True)
    def outer(w: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        cls = Before
        t = cls.random(w)
        return t

    @R.function
    def main(x: R.Tensor((3,), "float32"), w: R.Tensor((3,), "float32")):
        R.func_attr({"num_input": 1})
        cls = Before
        a = cls.stopped(w)
        b = cls.outer(w)
        y = R.add(R.add(x, a), b)
        return y


@I.ir_module
class Expected:
    @R.function(private=True)
    def stopped(w: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        s = R.builtin.stop_lift_params(w)
        t = R.exp(s)
        return t

    @R.function(private=True)
    def random(w: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        d = R.nn.dropout(w, 0.5)
        t = d[0]
        return t

    @R.function(private=True)
    def outer(w: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        cls = Expected
        t = cls.random(w)
        return t

    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((3,), dtype="float32"))) -> R.Tuple(R.Tensor((3,), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"w": ["w"]}, "sunmao.weight_names": ["w"]})
        return model_params

    @R.function
    def main(x: R.Tensor((3,), "float32"), w: R.Tensor((3,), "float32")):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        cls = Expected
        a = cls.stopped(w)
        b = cls.outer(w)
        lv = R.add(x, a)
        y = R.add(lv, b)
        return y
