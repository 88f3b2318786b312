# A view is a reshape unless it changes the dtype as well.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4, 6), "float32")):
        with R.dataflow():
            a = R.memory.view(x, R.shape([24]))
            b = R.memory.view(x, R.shape([24]), R.dtype("int32"))
            c = (a, b)
            R.output(c)
        return c


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4, 6), "float32")):
        with R.dataflow():
            a = R.reshape(x, (24,))
            b = R.memory.view(x, R.shape([24]), R.dtype("int32"))
            c = (a, b)
            R.output(c)
        return c
