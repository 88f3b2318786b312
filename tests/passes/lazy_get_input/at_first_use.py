# Each weight is asked for at its first use; what its shape alone says, before that is used.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2,), "float32"), a: R.Tensor((2,), "float32"), b: R.Tensor(("m",), "float32"), c: R.Tensor(("m * 2",), "float32")):
        R.func_attr({"num_input": 1})
        m = T.int64()
        with R.dataflow():
            y = R.add(x, a)
            d = R.exp(c)
            z = R.ones((m,), "float32")
            u = R.add(y, a)
            gv = (u, z, d, b)
            R.output(gv)
        return gv


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2,), dtype="float32"), fget_param: R.Callable((T.int64, R.Any), R.Any, True)) -> R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor(dtype="float32", ndim=1), R.Tensor(dtype="float32", ndim=1), R.Tensor(dtype="float32", ndim=1)):
        R.func_attr({"num_input": 2})
        m = T.int64()
        with R.dataflow():
            a_untyped: R.Any = fget_param(0, R.str("a"))
            a: R.Tensor((2,), dtype="float32") = R.match_cast(a_untyped, R.Tensor((2,), dtype="float32"))
            y: R.Tensor((2,), dtype="float32") = R.add(x, a)
            b_untyped: R.Any = fget_param(1, R.str("b"))
            b: R.Tensor((m,), dtype="float32") = R.match_cast(b_untyped, R.Tensor((m,), dtype="float32"))
            c_untyped: R.Any = fget_param(2, R.str("c"))
            c: R.Tensor((m * 2,), dtype="float32") = R.match_cast(c_untyped, R.Tensor((m * 2,), dtype="float32"))
            d: R.Tensor((m * 2,), dtype="float32") = R.exp(c)
            z: R.Tensor((m,), dtype="float32") = R.ones(R.shape([m]), dtype="float32")
            u: R.Tensor((2,), dtype="float32") = R.add(y, a)
            gv: R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((m,), dtype="float32"), R.Tensor((m * 2,), dtype="float32"), R.Tensor((m,), dtype="float32")) = (u, z, d, b)
            R.output(gv)
        return gv
