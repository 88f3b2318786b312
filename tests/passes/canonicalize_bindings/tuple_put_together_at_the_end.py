# A result of all the fields of one tuple is that tuple.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32")):
        parts = R.split(x, 2)
        a = parts[0]
        b = parts[1]
        return (a, b)


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32")):
        parts = R.split(x, 2)
        a = parts[0]
        b = parts[1]
        return parts
