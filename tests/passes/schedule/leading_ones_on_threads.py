# A first dimension of one element, which loads name by a constant, keeps no loop: the others are one loop on threads.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def main(A: T.Buffer((1, 256, 512), "float32"), B: T.Buffer((1, 256, 512), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, i2 in T.grid(1, 256, 512):
            with T.sblock("T_multiply"):
                v0, v1, v2 = T.axis.remap("SSS", [i0, i1, i2])
                T.reads(A[0, v1, v2])
                T.writes(B[v0, v1, v2])
                B[v0, v1, v2] = A[0, v1, v2] * T.sigmoid(A[0, v1, v2])


@I.ir_module
class Expected:
    @T.prim_func
    def main(A: T.Buffer((1, 256, 512), "float32"), B: T.Buffer((1, 256, 512), "float32")):
        T.func_attr({"tirx.noalias": True})
        with T.sblock("root"):
            T.reads()
            T.writes()
            B_flat = T.decl_buffer((1, T.int64(131072)), data=B.data)
            A_flat = T.decl_buffer((1, T.int64(131072)), data=A.data)
            with T.attr(None, "parallel_if", T.bool(True)):
                for chunk in T.parallel(T.int64(8)):
                    for i2 in range(T.int64(1024)):
                        for i2_lane in T.vectorized(T.int64(16)):
                            B_flat[0, chunk * 16384 + (i2 * 16 + i2_lane)] = A_flat[0, chunk * 16384 + (i2 * 16 + i2_lane)] * T.sigmoid(A_flat[0, chunk * 16384 + (i2 * 16 + i2_lane)])
