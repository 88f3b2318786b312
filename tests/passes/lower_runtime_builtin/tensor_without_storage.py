# error
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        a = R.builtin.alloc_tensor(R.shape([4]), "float32", 0)  # E0536: lower-runtime-builtin: a tensor is allocated without a storage
        return a
