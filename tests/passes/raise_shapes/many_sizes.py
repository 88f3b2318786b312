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
        _ = R.call_packed("vm.builtin.match_shape", x, heap, R.prim_value(1000000000000000), R.prim_value(1), R.prim_value(0), R.str(""), ty_args=[R.Tuple([])])  # E1020: the virtual machine does not run a match of 1000000000000000 sizes with Tensor((n, 4), "float32")
        return x
