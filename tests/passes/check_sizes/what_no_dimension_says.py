# A number of elements is no dimension of the argument: a shape is cast, once for both calls.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor((2, 3), "float32"):
        with R.dataflow():
            y = R.reshape(x, (2, 3))
            z = R.reshape(x, (2, 3))
            a = R.add(y, z)
            R.output(a)
        return a


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor((2, 3), "float32"):
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            sizes = R.match_cast(R.shape([n * m]), R.Shape([6]))
            y = R.reshape(x, (2, 3))
            z = R.reshape(x, (2, 3))
            a = R.add(y, z)
            R.output(a)
        return a
