from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((8192, 64), "float32")) -> R.Tensor((64,), "float32"):
        with R.dataflow():
            y = R.mean(x, axis=[0])
            R.output(y)
        return y
