# Types that were not known follow from the value that is bound.
# pass: bind-params(func_name=main, params={w: [1, 2]})
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(w: R.Tensor(ndim=1)):
        y: R.Tensor(ndim=1) = w
        z: R.Tensor(ndim=1) = R.add(y, y)
        return z


@I.ir_module
class Expected:
    @R.function
    def main() -> R.Tensor((2,), "float32"):
        y: R.Tensor((2,), "float32") = R.const([1, 2], "float32")
        z: R.Tensor((2,), "float32") = R.add(y, y)
        return z
