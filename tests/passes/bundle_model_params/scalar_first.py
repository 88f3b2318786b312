# A scalar is read before any branch, and what has it as a size is cast to that.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(c: R.Tensor((), "bool"), n: R.Prim("int64"), w: R.Tensor(("n",), "float32")):
        R.func_attr({"num_input": 1})
        if c:
            y = R.add(w, w)
        else:
            y = R.multiply(w, w)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(c: R.Tensor((), dtype="bool"), model_params: R.Tuple(R.Prim(value="n"), R.Tensor(dtype="float32", ndim=1))) -> R.Tensor(("n",), dtype="float32"):
        R.func_attr({"num_input": 1})
        n = T.int64()
        n_1: T.int64 = model_params[0]
        if c:
            w: R.Tensor(dtype="float32", ndim=1) = model_params[1]
            w_1: R.Tensor((n,), dtype="float32") = R.match_cast(w, R.Tensor((n,), dtype="float32"))
            w_2: R.Tensor(dtype="float32", ndim=1) = model_params[1]
            w_3: R.Tensor((n,), dtype="float32") = R.match_cast(w_2, R.Tensor((n,), dtype="float32"))
            y: R.Tensor((n,), dtype="float32") = R.add(w_1, w_3)
        else:
            w_4: R.Tensor(dtype="float32", ndim=1) = model_params[1]
            w_5: R.Tensor((n,), dtype="float32") = R.match_cast(w_4, R.Tensor((n,), dtype="float32"))
            w_6: R.Tensor(dtype="float32", ndim=1) = model_params[1]
            w_7: R.Tensor((n,), dtype="float32") = R.match_cast(w_6, R.Tensor((n,), dtype="float32"))
            y: R.Tensor((n,), dtype="float32") = R.multiply(w_5, w_7)
        return y
