# A prepared weight also comes from the weights whose types or casts define the sizes in its value.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(
        x: R.Tensor((1,), "float32"),
        w: R.Tensor(("n",), "float32"),
        u: R.Tensor(dtype="float32", ndim=1),
        v: R.Tensor((1,), "float32"),
    ):
        R.func_attr({"num_input": 1})
        n = T.int64()
        m = T.int64()
        c = R.match_cast(u, R.Tensor((m,), "float32"))
        a = R.broadcast_to(v, R.shape([n]))
        b = R.broadcast_to(v, R.shape([m]))
        d = R.broadcast_to(w, R.shape([2, n]))
        y = R.add(x, a)
        z = R.add(x, b)
        return (y, z, d)


@I.ir_module
class Expected:
    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor(("n",), dtype="float32"), R.Tensor(dtype="float32", ndim=1), R.Tensor((1,), dtype="float32"))) -> R.Tuple(R.Tensor(("n",), dtype="float32"), R.Tensor(dtype="float32", ndim=1), R.Tensor((2, "n"), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"a": ["w", "v"], "b": ["u", "v"], "d": ["w"]}, "sunmao.weight_names": ["w", "u", "v"]})
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            u: R.Tensor(dtype="float32", ndim=1) = model_params[1]
            c: R.Tensor((m,), dtype="float32") = R.match_cast(u, R.Tensor((m,), dtype="float32"))
            v: R.Tensor((1,), dtype="float32") = model_params[2]
            a: R.Tensor((n,), dtype="float32") = R.broadcast_to(v, R.shape([n]))
            b: R.Tensor((m,), dtype="float32") = R.broadcast_to(v, R.shape([m]))
            w: R.Tensor((n,), dtype="float32") = model_params[0]
            d: R.Tensor((2, n), dtype="float32") = R.broadcast_to(w, R.shape([2, n]))
            gv: R.Tuple(R.Tensor((n,), dtype="float32"), R.Tensor((m,), dtype="float32"), R.Tensor((2, n), dtype="float32")) = (a, b, d)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((1,), dtype="float32"), a: R.Tensor(("n",), dtype="float32"), b: R.Tensor(("m",), dtype="float32"), d: R.Tensor((2, "n"), dtype="float32")) -> R.Tuple(R.Tensor(("n",), dtype="float32"), R.Tensor(("m",), dtype="float32"), R.Tensor((2, "n"), dtype="float32")):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        n = T.int64()
        m = T.int64()
        y: R.Tensor((n,), dtype="float32") = R.add(x, a)
        z: R.Tensor((m,), dtype="float32") = R.add(x, b)
        return (y, z, d)
