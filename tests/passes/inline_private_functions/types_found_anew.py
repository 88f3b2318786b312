# A type that inference finds anew, when a size is written in another way, goes with the variable to its uses.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def inner(
        x: R.Tensor((5, "n"), "float32"), y: R.Tensor((5, 3), "float32"), z: R.Tensor((5, 1), "float32")
    ) -> R.Tensor((5, "n + 3 + 1"), "float32"):
        n = T.int64()
        with R.dataflow():
            a = R.abs(y)
            b: R.Tensor((5, n + 1 + 3), "float32") = R.concat((x, a, z), axis=-1)
            c: R.Tensor((5, n + 1 + 3), "float32") = b
            R.output(c)
        return c

    @R.function
    def main(
        x: R.Tensor((5, "n"), "float32"), y: R.Tensor((5, 3), "float32"), z: R.Tensor((5, 1), "float32")
    ) -> R.Tensor((5, "n + 4"), "float32"):
        n = T.int64()
        cls = Before
        d: R.Tensor((5, n + 4), "float32") = cls.inner(x, y, z)
        return d


@I.ir_module
class Expected:
    @R.function
    def main(
        x: R.Tensor((5, "n"), "float32"), y: R.Tensor((5, 3), "float32"), z: R.Tensor((5, 1), "float32")
    ) -> R.Tensor((5, "n + 4"), "float32"):
        n = T.int64()
        with R.dataflow():
            a = R.abs(y)
            b: R.Tensor((5, n + 3 + 1), "float32") = R.concat((x, a, z), axis=-1)
            R.output(b)
        d: R.Tensor((5, n + 3 + 1), "float32") = b
        return d
