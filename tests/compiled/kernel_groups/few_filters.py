from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, "h", 7, 8), "float32"), w: R.Tensor((3, 8, 2, 3), "float32")):
        with R.dataflow():
            c = R.nn.conv2d(x, w, padding=[0, 1, 0, 1], data_layout="NHWC", kernel_layout="OIHW")
            d = R.divide(c, R.const(0.5, "float32"))
            R.output(d)
        return d
