# error
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def sizes(H: T.Buffer((T.int64(1),), "int64")):
        for i in range(1):
            H[i] = H[i] + T.int64(1)

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        cls = Before
        heap = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (R.prim_value(1),), ty_args=[R.Tensor(ndim=1, dtype="int64")])
        _ = cls.sizes(heap)  # E1020: `sizes`, which does more than to compute sizes from sizes
        return x
