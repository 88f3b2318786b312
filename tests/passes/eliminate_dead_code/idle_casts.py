# A cast that only names sizes which nothing needs is removed; one that checks them stays.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32"), t: R.Tensor((1,), "int64")):
        R.func_attr({"global_symbol": "main"})
        k = T.int64()
        m = T.int64()
        n = T.int64()
        s = R.tensor_to_shape(t)
        s1 = R.match_cast(s, R.Shape([k]))
        a = R.zeros(R.shape([k]), "float32")
        s2 = R.match_cast(s, R.Shape([m]))
        b = R.zeros(R.shape([m]), "float32")
        s4 = R.match_cast(s, R.Shape([n]))
        s5 = R.match_cast(s, R.Shape([n]))
        return b


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), t: R.Tensor((1,), dtype="int64")) -> R.Tensor(dtype="float32", ndim=1):
        m = T.int64()
        n = T.int64()
        s: R.Shape(ndim=1) = R.tensor_to_shape(t)
        s2: R.Shape([m]) = R.match_cast(s, R.Shape([m]))
        b: R.Tensor((m,), dtype="float32") = R.zeros(R.shape([m]), dtype="float32")
        s4: R.Shape([n]) = R.match_cast(s, R.Shape([n]))
        s5: R.Shape([n]) = R.match_cast(s, R.Shape([n]))
        return b
