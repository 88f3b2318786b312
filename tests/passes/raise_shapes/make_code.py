# error
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(x: R.Tensor(("n", 4), "float32")):
        n = T.int64()
        heap = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (R.prim_value(2),), ty_args=[R.Tensor(ndim=1, dtype="int64")])
        s = R.call_packed("vm.builtin.make_shape", heap, R.prim_value(1), R.prim_value(7), R.prim_value(3), ty_args=[R.Shape(ndim=1)])  # E1020: the virtual machine does not run `vm.builtin.make_shape` with the code 7, which means nothing
        return s
