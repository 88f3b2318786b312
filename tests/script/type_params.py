# Today's ways to name dimensions: type parameters of the function, and type variables of the file.
from typing import TypeVar

K = TypeVar("K")


@I.ir_module
class Module:
    M = TypeVar("M")

    @R.function
    def main[n](x: R.Tensor((n, n * 2, K), "float32"), y: R.Tensor((M, "M * 2"), "float32")) -> R.Tensor((n, "n * 2", K), "float32"):
        return x
