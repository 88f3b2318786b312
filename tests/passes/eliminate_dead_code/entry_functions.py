# A function without a global symbol stays when it is named.
# pass: eliminate-dead-code(entry_functions=[kept])
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        return x

    @R.function(private=True)
    def kept(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return x

    @R.function(private=True)
    def lost(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return x


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        return x

    @R.function(private=True)
    def kept(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return x
