# With `call_only` equal fields of a tuple stay.
# pass: eliminate-common-subexpr(call_only=True)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(t: R.Tuple(R.Tensor((4,), "float32"))):
        a = t[0]
        b = t[0]
        c = R.add(a, b)
        d = R.add(a, b)
        return (c, d)


@I.ir_module
class Expected:
    @R.function
    def main(t: R.Tuple(R.Tensor((4,), "float32"))):
        a = t[0]
        b = t[0]
        c = R.add(a, b)
        d = c
        return (c, c)
