# A cast by the program names the sizes, and what follows reads the value from it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32"), t: R.Tensor((1,), "int64")):
        k = T.int64()
        n = T.int64()
        s = R.tensor_to_shape(t)
        s1 = R.match_cast(s, R.Shape([k]))
        y = R.call_pure_packed("pick", x, ty_args=R.Tensor("float32", ndim=1))
        y1 = R.match_cast(y, R.Tensor((n,), "float32"))
        z = R.add(y, y1)
        o = R.zeros(s1, "float32")
        return (z, o)


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), t: R.Tensor((1,), dtype="int64")) -> R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Tensor(dtype="float32", ndim=1)):
        k = T.int64()
        n = T.int64()
        s: R.Shape(ndim=1) = R.tensor_to_shape(t)
        s1: R.Shape([k]) = R.match_cast(s, R.Shape([k]))
        y: R.Tensor(dtype="float32", ndim=1) = R.call_pure_packed("pick", x, ty_args=(R.Tensor(dtype="float32", ndim=1),))
        y1: R.Tensor((n,), dtype="float32") = R.match_cast(y, R.Tensor((n,), dtype="float32"))
        z: R.Tensor((n,), dtype="float32") = R.add(y1, y1)
        o: R.Tensor((k,), dtype="float32") = R.zeros(R.shape([k]), dtype="float32")
        return (z, o)
