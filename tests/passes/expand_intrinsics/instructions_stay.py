# unchanged
# What is an instruction, and a power of integers, stays.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T



@I.ir_module
class Before:
    @T.prim_func(private=True)
    def roots(A: T.Buffer((T.int64(16),), "float32"), out: T.Buffer((T.int64(16),), "float32")):
        for i in range(T.int64(16)):
            out[i] = T.fma(T.sqrt(T.fabs(A[i])), T.floor(A[i]), T.fmod(T.copysign(A[i], out[i]), T.scalb(A[i], T.float32(2))))

    @T.prim_func(private=True)
    def powers(A: T.Buffer((T.int64(16),), "int32"), out: T.Buffer((T.int64(16),), "int32")):
        for i in range(T.int64(16)):
            out[i] = T.pow(A[i], 3) + T.bitwise_and(A[i], 7)
