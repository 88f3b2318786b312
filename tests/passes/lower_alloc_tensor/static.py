# A tensor of known size is put into memory of as many bytes.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function
    def main() -> R.Tensor((16, 32), "float32"):
        x = R.builtin.alloc_tensor(R.shape([16, 32]), "float32", 0)
        return x


@I.ir_module
class Expected:
    @R.function
    def main() -> R.Tensor((16, 32), "float32"):
        storage = R.memory.alloc_storage(R.shape([2048]), 0, "global", "uint8")
        x = R.memory.alloc_tensor(storage, 0, R.shape([16, 32]), "float32")
        return x
