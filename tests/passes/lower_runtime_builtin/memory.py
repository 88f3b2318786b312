# Storages, tensors in them and their release become those of the virtual machine.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        s = R.memory.alloc_storage(R.shape([n * 4]), 0, "global", "float32")
        a = R.memory.alloc_tensor(s, 0, R.shape([n]), "float32")
        R.memory.kill_storage(s)
        R.call_packed("f", x, a, ty_args=R.Tuple())
        b = R.memory.ensure_zero_offset(a)
        R.memory.kill_tensor(a)
        return b


@I.ir_module
class Expected:
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        s: R.Any = R.vm.alloc_storage(R.shape([n * 4]), 0, R.dtype("uint8"), R.str("global"))
        a: R.Tensor((n,), dtype="float32") = R.vm.alloc_tensor(s, 0, R.shape([n]), R.dtype("float32"), 0)
        R.vm.kill_object(s)
        R.call_packed("f", x, a, ty_args=(R.Tuple,))
        b: R.Tensor((n,), dtype="float32") = R.call_packed("vm.builtin.ensure_zero_offset", a, ty_args=(R.Tensor((n,), dtype="float32"),))
        R.vm.kill_object(a)
        return b
