# A local function that is only called gets what it captures, and what local functions that it calls capture.
# pass: lambda-lift(captures_passed=True)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        n = T.int64()

        @R.function
        def inner(z: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            s = R.add(z, R.sum(x))
            return s

        @R.function
        def outer(z: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            a = inner(z)
            b = R.add(a, y)
            return b

        a = outer(y)
        return a


@I.ir_module
class Expected:
    @R.function(private=True)
    def main_inner(z: R.Tensor((4,), dtype="float32"), x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(
        (4,), dtype="float32"
    ):
        n = T.int64()
        s: R.Tensor((4,), dtype="float32") = R.add(z, R.sum(x))
        return s

    @R.function(private=True)
    def main_outer(
        z: R.Tensor((4,), dtype="float32"), x: R.Tensor(("n",), dtype="float32"), y: R.Tensor((4,), dtype="float32")
    ) -> R.Tensor((4,), dtype="float32"):
        n = T.int64()
        cls = Expected
        a: R.Tensor((4,), dtype="float32") = cls.main_inner(z, x)
        b: R.Tensor((4,), dtype="float32") = R.add(a, y)
        return b

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor(
        (4,), dtype="float32"
    ):
        n = T.int64()
        cls = Expected
        a: R.Tensor((4,), dtype="float32") = cls.main_outer(y, x, y)
        return a
