# A run shorter than `min_size` stays as it is.
# pass: convert-to-dataflow(min_size=3)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        a = R.add(x, x)
        b = R.nn.relu(a)
        y = R.call_packed("effect", b, ty_args=(R.Tensor((4,), "float32"),))
        c = R.add(y, y)
        d = R.nn.relu(c)
        e = R.add(d, d)
        return e


@I.ir_module
class Expected:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        a = R.add(x, x)
        b = R.nn.relu(a)
        y = R.call_packed("effect", b, ty_args=(R.Tensor((4,), "float32"),))
        with R.dataflow():
            c = R.add(y, y)
            d = R.nn.relu(c)
            e = R.add(d, d)
            R.output(e)
        return e
