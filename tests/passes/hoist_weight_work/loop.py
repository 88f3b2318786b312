from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def loop(
        count: R.Tensor((), "int64"),
        x: R.Tensor(("n", 4), "float32"),
        w: R.Tensor((4, 4), "float32"),
        b: R.Tensor((4,), "float32"),
    ) -> R.Tensor(("n", 4), "float32"):
        n = T.int64()
        cls = Before
        more: R.Tensor((), "bool") = R.less(count, R.const(3, "int64"))
        if more:
            with R.dataflow():
                turned = R.permute_dims(w)
                scaled = R.multiply(turned, R.const(2.0, "float32"))
                product = R.matmul(x, scaled)
                shifted = R.add(product, b)
                next_count = R.add(count, R.const(1, "int64"))
                R.output(shifted, next_count)
            rest = cls.loop(next_count, shifted, w, b)
            result: R.Tensor((n, 4), "float32") = rest
        else:
            result: R.Tensor((n, 4), "float32") = x
        return result

    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 4), "float32"), b: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        cls = Before
        with R.dataflow():
            y = cls.loop(R.const(0, "int64"), x, w, b)
            R.output(y)
        return y


@I.ir_module
class Expected:
    @R.function(private=True)
    def loop(count: R.Tensor((), dtype="int64"), x: R.Tensor(("n", 4), dtype="float32"), b: R.Tensor((4,), dtype="float32"), scaled: R.Tensor((4, 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Expected
        more: R.Tensor((), dtype="bool") = R.less(count, R.const(3, "int64"))
        if more:
            with R.dataflow():
                product: R.Tensor((n, 4), dtype="float32") = R.matmul(x, scaled)
                shifted: R.Tensor((n, 4), dtype="float32") = R.add(product, b)
                next_count: R.Tensor((), dtype="int64") = R.add(count, R.const(1, "int64"))
                R.output(shifted, next_count)
            result: R.Tensor((n, 4), dtype="float32") = cls.loop(next_count, shifted, b, scaled)
        else:
            result: R.Tensor((n, 4), dtype="float32") = x
        return result

    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), w: R.Tensor((4, 4), dtype="float32"), b: R.Tensor((4,), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        R.func_attr({"num_input": 1})
        n = T.int64()
        cls = Expected
        with R.dataflow():
            turned: R.Tensor((4, 4), dtype="float32") = R.permute_dims(w)
            scaled: R.Tensor((4, 4), dtype="float32") = R.multiply(turned, R.const(2.0, "float32"))
            y: R.Tensor((n, 4), dtype="float32") = cls.loop(R.const(0, "int64"), x, b, scaled)
            R.output(scaled, y)
        return y
