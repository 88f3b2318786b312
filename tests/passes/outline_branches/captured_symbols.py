# Symbols that no parameter has as a dimension are passed as a shape.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("m", "n"), "float32")) -> R.Tensor(("n * m",), "float32"):
        n = T.int64()
        m = T.int64()
        flat: R.Tensor((n * m,), "float32") = R.reshape(x, R.shape([n * m]))
        if c:
            ones: R.Tensor((n * m,), "float32") = R.ones(R.shape([n * m]), "float32")
            z: R.Tensor((n * m,), "float32") = R.add(flat, ones)
        else:
            z: R.Tensor((n * m,), "float32") = R.reshape(y, R.shape([n * m]))
        return z


@I.ir_module
class Expected:
    @R.function(private=True)
    def main_else(y: R.Tensor(("m", "n"), dtype="float32")) -> R.Tensor(("n * m",), dtype="float32"):
        m = T.int64()
        n = T.int64()
        z: R.Tensor((n * m,), dtype="float32") = R.reshape(y, R.shape([n * m]))
        return z

    @R.function(private=True)
    def main_then(flat: R.Tensor(("n * m",), dtype="float32"), symbols: R.Shape(["n", "m"])) -> R.Tensor(("n * m",), dtype="float32"):
        n = T.int64()
        m = T.int64()
        ones: R.Tensor((n * m,), dtype="float32") = R.ones(R.shape([n * m]), dtype="float32")
        z: R.Tensor((n * m,), dtype="float32") = R.add(flat, ones)
        return z

    @R.function
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor(("n", "m"), dtype="float32"), y: R.Tensor(("m", "n"), dtype="float32")) -> R.Tensor(("n * m",), dtype="float32"):
        n = T.int64()
        m = T.int64()
        cls = Expected
        flat: R.Tensor((n * m,), dtype="float32") = R.reshape(x, R.shape([n * m]))
        if c:
            z: R.Tensor((n * m,), dtype="float32") = cls.main_then(flat, R.shape([n, m]))
        else:
            z: R.Tensor((n * m,), dtype="float32") = cls.main_else(y)
        return z
