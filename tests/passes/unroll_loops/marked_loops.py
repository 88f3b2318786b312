# A marked loop becomes copies of its body; a module without forms has its kernels unrolled.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def rows(A: T.Buffer((T.int64(6), T.int64(3)), "float32"), out: T.Buffer((T.int64(6),), "float32")):
        for i in range(T.int64(6)):
            out[i] = T.float32(0)
            for j in T.unroll(T.int64(3)):
                out[i] = out[i] + A[i, j]


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def rows(A: T.Buffer((T.int64(6), T.int64(3)), "float32"), out: T.Buffer((T.int64(6),), "float32")):
        for i in range(T.int64(6)):
            out[i] = T.float32(0.0)
            out[i] = out[i] + A[i, T.int64(0)]
            out[i] = out[i] + A[i, T.int64(1)]
            out[i] = out[i] + A[i, T.int64(2)]
