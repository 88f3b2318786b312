# A parameter that is passed on to one that goes is unread only then: the next run takes it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        z: R.Tensor((4,), "float32") = Before.outer(x, y)
        return z

    @R.function(private=True)
    def outer(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        z: R.Tensor((4,), "float32") = Before.inner(x, y)
        return z

    @R.function(private=True)
    def inner(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        z = R.nn.relu(x)
        return z


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        z: R.Tensor((4,), "float32") = Expected.outer(x, y)
        return z

    @R.function(private=True)
    def outer(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        z: R.Tensor((4,), "float32") = Expected.inner(x)
        return z

    @R.function(private=True)
    def inner(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        z = R.nn.relu(x)
        return z
