# A call cycle without obstacles moves: every function of it is free of them.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def a(w: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        cls = Before
        if c:
            r = cls.b(w, R.const(False, "bool"))
        else:
            r = R.exp(w)
        return r

    @R.function(private=True)
    def b(w: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        cls = Before
        r = cls.a(w, c)
        return r

    @R.function
    def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        cls = Before
        p = cls.a(w, R.const(True, "bool"))
        q = cls.b(w, R.const(True, "bool"))
        y = R.add(p, q)
        z = R.add(x, y)
        return z


@I.ir_module
class Expected:
    @R.function(private=True)
    def a(w: R.Tensor((4,), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        if c:
            r: R.Tensor((4,), dtype="float32") = cls.b(w, R.const(False, "bool"))
        else:
            r: R.Tensor((4,), dtype="float32") = R.exp(w)
        return r

    @R.function(private=True)
    def b(w: R.Tensor((4,), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor((4,), dtype="float32"):
        cls = Expected
        r: R.Tensor((4,), dtype="float32") = cls.a(w, c)
        return r

    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((4,), dtype="float32"))) -> R.Tuple(R.Tensor((4,), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"y": ["w"]}, "sunmao.weight_names": ["w"]})
        cls = Expected
        with R.dataflow():
            w: R.Tensor((4,), dtype="float32") = model_params[0]
            p: R.Tensor((4,), dtype="float32") = cls.a(w, R.const(True, "bool"))
            q: R.Tensor((4,), dtype="float32") = cls.b(w, R.const(True, "bool"))
            y: R.Tensor((4,), dtype="float32") = R.add(p, q)
            gv: R.Tuple(R.Tensor((4,), dtype="float32")) = (y,)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        z: R.Tensor((4,), dtype="float32") = R.add(x, y)
        return z
