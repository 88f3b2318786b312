# A symbol that a cast gives to a known size is replaced in scalars, too.
# pass: canonicalize-bindings(in_numbers=True)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((8,), "float32"), s: R.Shape(["m"])):
        m = T.int64()
        n = T.int64()
        s1 = R.match_cast(s, R.Shape([n]))
        y = R.strided_slice(x, (0,), (0,), (n,), assume_inbound=True)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((8,), dtype="float32"), s: R.Shape(["m"])) -> R.Tensor(("m",), dtype="float32"):
        m = T.int64()
        y: R.Tensor((m,), dtype="float32") = R.strided_slice(x, (0,), (0,), (m,), assume_inbound=True)
        return y
