# A least size that is computed from the size itself is checked alone: a cast to the larger one would ask for more.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((3, "n"), "float32")):
        y = R.split(x, indices_or_sections=2, axis=1)
        return y


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((3, "n"), "float32")):
        n = T.int64()
        sizes = R.match_cast(R.shape([T.max(n, (n + 1) // 2)]), R.Shape([n]))
        y = R.split(x, indices_or_sections=2, axis=1)
        return y
