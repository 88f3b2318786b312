# What another backend stands between stays apart: neither function could run before the other.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def relu(a: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"Composite": "npu.relu", "Primitive": True})
        with R.dataflow():
            b: R.Tensor((4,), "float32") = R.nn.relu(a)
            R.output(b)
        return b

    @R.function(private=True)
    def add(a: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"Composite": "npu.add", "Primitive": True})
        with R.dataflow():
            c: R.Tensor((4,), "float32") = R.add(a, b)
            R.output(c)
        return c

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        with R.dataflow():
            y: R.Tensor((4,), "float32") = Before.relu(x)
            z: R.Tensor((4,), "float32") = R.exp(y)
            w: R.Tensor((4,), "float32") = Before.add(y, z)
            R.output(w)
        return w


@I.ir_module
class Expected:
    @R.function
    def fused_relu_npu(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"Codegen": "npu"})

        @R.function
        def local_func(a: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            R.func_attr({"Composite": "npu.relu"})
            with R.dataflow():
                b: R.Tensor((4,), "float32") = R.nn.relu(a)
                R.output(b)
            return b

        y: R.Tensor((4,), "float32") = local_func(x)
        return y

    @R.function
    def fused_add_npu(y: R.Tensor((4,), "float32"), z: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"Codegen": "npu"})

        @R.function
        def local_func(a: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            R.func_attr({"Composite": "npu.add"})
            with R.dataflow():
                c: R.Tensor((4,), "float32") = R.add(a, b)
                R.output(c)
            return c

        w: R.Tensor((4,), "float32") = local_func(y, z)
        return w

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        with R.dataflow():
            y: R.Tensor((4,), "float32") = Expected.fused_relu_npu(x)
            z: R.Tensor((4,), "float32") = R.exp(y)
            w: R.Tensor((4,), "float32") = Expected.fused_add_npu(y, z)
            R.output(w)
        return w
