# What is read outside of the merged function leaves it, several results as a tuple; tuples taken apart stay inside.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def parts(a: R.Tensor((2, 4), "float32")) -> R.Tuple(R.Tensor((1, 4), "float32"), R.Tensor((1, 4), "float32")):
        R.func_attr({"Composite": "npu.split", "Primitive": True})
        with R.dataflow():
            b = R.split(a, 2, 0)
            R.output(b)
        return b

    @R.function(private=True)
    def relu(a: R.Tensor((1, 4), "float32")) -> R.Tensor((1, 4), "float32"):
        R.func_attr({"Composite": "npu.relu", "Primitive": True})
        with R.dataflow():
            b: R.Tensor((1, 4), "float32") = R.nn.relu(a)
            R.output(b)
        return b

    @R.function
    def main(x: R.Tensor((2, 4), "float32")) -> R.Tensor((1, 4), "float32"):
        with R.dataflow():
            both = Before.parts(x)
            first = both[0]
            second = both[1]
            third = Before.relu(second)
            w: R.Tensor((1, 4), "float32") = R.add(first, third)
            R.output(w)
        return w


@I.ir_module
class Expected:
    @R.function
    def fused_parts_relu_npu(x: R.Tensor((2, 4), "float32")) -> R.Tuple(
        R.Tensor((1, 4), "float32"), R.Tensor((1, 4), "float32")
    ):
        R.func_attr({"Codegen": "npu"})

        @R.function
        def local_func(a: R.Tensor((2, 4), "float32")) -> R.Tuple(
            R.Tensor((1, 4), "float32"), R.Tensor((1, 4), "float32")
        ):
            R.func_attr({"Composite": "npu.split"})
            with R.dataflow():
                b = R.split(a, 2, 0)
                R.output(b)
            return b

        both = local_func(x)
        first = both[0]
        second = both[1]

        @R.function
        def local_func_1(a: R.Tensor((1, 4), "float32")) -> R.Tensor((1, 4), "float32"):
            R.func_attr({"Composite": "npu.relu"})
            with R.dataflow():
                b: R.Tensor((1, 4), "float32") = R.nn.relu(a)
                R.output(b)
            return b

        third = local_func_1(second)
        return (first, third)

    @R.function
    def main(x: R.Tensor((2, 4), "float32")) -> R.Tensor((1, 4), "float32"):
        with R.dataflow():
            all = Expected.fused_parts_relu_npu(x)
            first = all[0]
            third = all[1]
            w: R.Tensor((1, 4), "float32") = R.add(first, third)
            R.output(w)
        return w
