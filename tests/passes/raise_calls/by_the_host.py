# A function of the host fills the tensors that nothing has been written to.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(x: R.Tensor((8,), "float32")) -> R.Tensor((8,), "float32"):
        a = R.builtin.alloc_tensor(R.shape([8]), "float32", 0)
        _ = R.call_packed("double", x, a, ty_args=R.Tuple())
        return a


@I.ir_module
class Expected:
    @R.function(pure=False)
    def main(x: R.Tensor((8,), dtype="float32")) -> R.Tensor((8,), dtype="float32"):
        a = R.call_dps_packed("double", (x,), out_ty=R.Tensor((8,), dtype="float32"))
        return a
