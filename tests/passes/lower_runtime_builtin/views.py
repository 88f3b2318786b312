# A view of all elements is a reshape; one of a part, or of another dtype, stays.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(x: R.Tensor(("n", 4), "float32")):
        n = T.int64()
        a = R.memory.view(x, R.shape([n * 4]))
        b = R.memory.view(a, R.shape([n]))
        c = R.memory.view(x, R.shape([n, 4]), "int32")
        return (a, b, c)


@I.ir_module
class Expected:
    @R.function(pure=False)
    def main(x: R.Tensor(("n", 4), "float32")):
        n = T.int64()
        a = R.call_packed("vm.builtin.reshape", x, R.shape([n * 4]), ty_args=R.Tensor((n * 4,), "float32"))
        b = R.memory.view(a, R.shape([n]))
        c = R.memory.view(x, R.shape([n, 4]), "int32")
        return (a, b, c)
