# A reshape moves nothing.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T



@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")):
        n = T.int64()
        y = R.reshape(x, R.shape([n * 2, 2]))
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")):
        n = T.int64()
        y = R.memory.view(x, R.shape([n * 2, 2]))
        return y
