# A branch ends a run; runs inside branches become blocks of their own.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")):
        a = R.add(x, x)
        if c:
            p = R.nn.relu(a)
            q = R.add(p, p)
            r = R.add(q, p)
            b = r
        else:
            b = a
        d = R.add(b, b)
        return d


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")):
        a = R.add(x, x)
        if c:
            with R.dataflow():
                p = R.nn.relu(a)
                q = R.add(p, p)
                r = R.add(q, p)
                R.output(r)
            b = r
        else:
            b = a
        d = R.add(b, b)
        return d
