# A parameter that is wrapped is read as it is where it is a float of 16 or 32 bits and becomes one; else it is converted.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2,), "float16"), y: R.Tensor((2,), "int32"), z: R.Tensor((2,), "float32")):
        with R.dataflow():
            a = R.wrap_param(x, dtype="float32")
            b = R.tan(R.wrap_param(y, dtype="float32"))
            c = R.wrap_param(z, dtype="float64")
            gv = (a, b, c)
            R.output(gv)
        return gv


@I.ir_module
class Expected:
    @R.function
    def main(x: R.Tensor((2,), "float16"), y: R.Tensor((2,), "int32"), z: R.Tensor((2,), "float32")):
        with R.dataflow():
            a = x
            wide = R.wrap_param(y, dtype="float32")
            b = R.tan(wide)
            c = R.wrap_param(z, dtype="float64")
            back = R.astype(a, "float32")
            gv = (back, b, c)
            R.output(gv)
        return gv
