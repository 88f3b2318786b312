# error
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        with R.dataflow():
            y = R.call_dps_packed("double", (x,), out_ty=R.Tensor((4,), "float32"))  # E0523: lower-call-tir: the call stands in a
            R.output(y)
        return y
