# unchanged
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32"), s: R.Shape(["n"]), c: R.Tensor((), "bool")):
        n = T.int64()
        y = R.call_packed("f", x, (s, R.prim_value(3)), R.str("text"), R.prim_value(0.5), ty_args=(R.Tensor((n,), "float32"),))
        _ = R.call_packed("note", y)
        if c:
            z = R.add(y, x)
        else:
            z = y
        return (z, s)
