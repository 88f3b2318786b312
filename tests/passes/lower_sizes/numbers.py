# unchanged
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((4, 3), "float32"), s: R.Shape([2, 6]), t: R.Tensor(ndim=1, dtype="float32")):
        y = R.match_cast(t, R.Tensor((12,), "float32"))
        z = R.reshape(R.add(R.reshape(x, R.shape([12])), y), R.shape([2, 6]))
        return z
