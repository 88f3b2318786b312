# Calls of one backend that follow each other become one function; a function that is called twice stands inside once.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True)
    def fused_relax_nn_relu(a: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"Composite": "npu.relu", "Primitive": True})
        with R.dataflow():
            b: R.Tensor((4,), "float32") = R.nn.relu(a)
            R.output(b)
        return b

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        with R.dataflow():
            y: R.Tensor((4,), "float32") = Before.fused_relax_nn_relu(x)
            z: R.Tensor((4,), "float32") = Before.fused_relax_nn_relu(y)
            w: R.Tensor((4,), "float32") = R.exp(z)
            R.output(w)
        return w


@I.ir_module
class Expected:
    @R.function
    def fused_relax_nn_relu_relax_nn_relu_npu(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"Codegen": "npu"})

        @R.function
        def local_func(a: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            R.func_attr({"Composite": "npu.relu"})
            with R.dataflow():
                b: R.Tensor((4,), "float32") = R.nn.relu(a)
                R.output(b)
            return b

        y: R.Tensor((4,), "float32") = local_func(x)
        z: R.Tensor((4,), "float32") = local_func(y)
        return z

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        with R.dataflow():
            z: R.Tensor((4,), "float32") = Expected.fused_relax_nn_relu_relax_nn_relu_npu(x)
            w: R.Tensor((4,), "float32") = R.exp(z)
            R.output(w)
        return w
