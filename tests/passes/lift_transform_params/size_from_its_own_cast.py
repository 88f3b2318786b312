# A value reads no other weight for a size that a cast of its own weight defines, too.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((), "float32"), w: R.Tensor(dtype="float32", ndim=1), u: R.Tensor(dtype="float32", ndim=1)):
        R.func_attr({"num_input": 1})
        n = T.int64()
        c1 = R.match_cast(w, R.Tensor((n,), "float32"))
        c2 = R.match_cast(u, R.Tensor((n,), "float32"))
        d = R.broadcast_to(c2, R.shape([2, n]))
        z = R.multiply(x, R.add(c1, d))
        y = R.multiply(x, d)
        return (z, y)


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Tensor(dtype="float32", ndim=1))) -> R.Tuple(R.Tensor(dtype="float32", ndim=2), R.Tensor(dtype="float32", ndim=2)):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"d": ["u"], "lv": ["w", "u"]}, "sunmao.weight_names": ["w", "u"]})
        n = T.int64()
        with R.dataflow():
            w: R.Tensor(dtype="float32", ndim=1) = model_params[0]
            c1: R.Tensor((n,), dtype="float32") = R.match_cast(w, R.Tensor((n,), dtype="float32"))
            u: R.Tensor(dtype="float32", ndim=1) = model_params[1]
            c2: R.Tensor((n,), dtype="float32") = R.match_cast(u, R.Tensor((n,), dtype="float32"))
            d: R.Tensor((2, n), dtype="float32") = R.broadcast_to(c2, R.shape([2, n]))
            lv: R.Tensor((2, n), dtype="float32") = R.add(c1, d)
            gv: R.Tuple(R.Tensor((2, n), dtype="float32"), R.Tensor((2, n), dtype="float32")) = (d, lv)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((), dtype="float32"), d: R.Tensor((2, "n"), dtype="float32"), lv: R.Tensor((2, "n"), dtype="float32")) -> R.Tuple(R.Tensor((2, "n"), dtype="float32"), R.Tensor((2, "n"), dtype="float32")):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        n = T.int64()
        z: R.Tensor((2, n), dtype="float32") = R.multiply(x, lv)
        y: R.Tensor((2, n), dtype="float32") = R.multiply(x, d)
        return (z, y)
