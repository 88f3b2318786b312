# error
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def sizes(H: T.Buffer((T.int64(1),), "int64")):
        H[T.int64(1)] = H[T.int64(0)] * T.int64(2)
    @R.function(pure=False)
    def main(x: R.Tensor(("n", 4), "float32")):
        n = T.int64()
        heap = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (R.prim_value(2),), ty_args=[R.Tensor(ndim=1, dtype="int64")])
        _ = R.call_packed("vm.builtin.match_shape", x, heap, R.prim_value(2), R.prim_value(1), R.prim_value(0), R.prim_value(0), R.prim_value(4), R.str(""), ty_args=[R.Tuple([])])
        _1 = Before.sizes(heap)  # E1020: the virtual machine does not run `sizes`, which does more than to compute sizes from sizes
        s = R.call_packed("vm.builtin.make_shape", heap, R.prim_value(1), R.prim_value(1), R.prim_value(1), ty_args=[R.Shape(ndim=1)])
        z = R.zeros(s, "float32")
        return z
