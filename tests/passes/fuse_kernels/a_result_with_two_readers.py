# A product that two kernels read stays a kernel of its own, also when one of these becomes a part of the other.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def add(A: T.Buffer((T.int64(4), T.int64(6)), "float32"), B: T.Buffer((T.int64(4), T.int64(6)), "float32"), T_1: T.Buffer((T.int64(4), T.int64(6)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(4), T.int64(6)):
            with T.sblock("T_add"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1], B[v0, v1])
                T.writes(T_1[v0, v1])
                T_1[v0, v1] = A[v0, v1] + B[v0, v1]

    @T.prim_func(private=True)
    def matmul(A: T.Buffer((T.int64(4), T.int64(8)), "float32"), B: T.Buffer((T.int64(8), T.int64(6)), "float32"), matmul: T.Buffer((T.int64(4), T.int64(6)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, k2 in T.grid(T.int64(4), T.int64(6), T.int64(8)):
            with T.sblock("matmul"):
                v0, v1, v2 = T.axis.remap("SSR", [i0, i1, k2])
                T.reads(A[v0, v2], B[v2, v1])
                T.writes(matmul[v0, v1])
                with T.init():
                    matmul[v0, v1] = T.float32(0.0)
                matmul[v0, v1] = matmul[v0, v1] + A[v0, v2] * B[v2, v1]

    @T.prim_func(private=True)
    def nn_relu(A: T.Buffer((T.int64(4), T.int64(6)), "float32"), T_1: T.Buffer((T.int64(4), T.int64(6)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(4), T.int64(6)):
            with T.sblock("compute"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1])
                T.writes(T_1[v0, v1])
                T_1[v0, v1] = T.max(A[v0, v1], T.float32(0.0))

    @T.prim_func(private=True)
    def nn_softmax(A: T.Buffer((T.int64(4), T.int64(6)), "float32"), T_softmax_norm: T.Buffer((T.int64(4), T.int64(6)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_softmax_maxelem = T.sblock_alloc_buffer((T.int64(4),))
        T_softmax_expsum = T.sblock_alloc_buffer((T.int64(4),))
        T_softmax_exp = T.sblock_alloc_buffer((T.int64(4), T.int64(6)))
        for i0, k1 in T.grid(T.int64(4), T.int64(6)):
            with T.sblock("T_softmax_maxelem"):
                v0, v1 = T.axis.remap("SR", [i0, k1])
                T.reads(A[v0, v1])
                T.writes(T_softmax_maxelem[v0])
                with T.init():
                    T_softmax_maxelem[v0] = T.float32("-inf")
                T_softmax_maxelem[v0] = T.max(T_softmax_maxelem[v0], A[v0, v1])
        for i0, i1 in T.grid(T.int64(4), T.int64(6)):
            with T.sblock("T_softmax_exp"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1], T_softmax_maxelem[v0])
                T.writes(T_softmax_exp[v0, v1])
                T_softmax_exp[v0, v1] = T.exp(A[v0, v1] - T_softmax_maxelem[v0])
        for i0, k1 in T.grid(T.int64(4), T.int64(6)):
            with T.sblock("T_softmax_expsum"):
                v0, v1 = T.axis.remap("SR", [i0, k1])
                T.reads(T_softmax_exp[v0, v1])
                T.writes(T_softmax_expsum[v0])
                with T.init():
                    T_softmax_expsum[v0] = T.float32(0.0)
                T_softmax_expsum[v0] = T_softmax_expsum[v0] + T_softmax_exp[v0, v1]
        for i0, i1 in T.grid(T.int64(4), T.int64(6)):
            with T.sblock("T_softmax_norm"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_softmax_exp[v0, v1], T_softmax_expsum[v0])
                T.writes(T_softmax_norm[v0, v1])
                T_softmax_norm[v0, v1] = T_softmax_exp[v0, v1] / T_softmax_expsum[v0]

    @R.function
    def main(x: R.Tensor((4, 8), dtype="float32"), w: R.Tensor((8, 6), dtype="float32"), b: R.Tensor((6,), dtype="float32")) -> R.Tensor((4, 6), dtype="float32"):
        cls = Before
        with R.dataflow():
            p = R.call_tir(cls.matmul, (x, w), out_ty=R.Tensor((4, 6), dtype="float32"))
            q = R.call_tir(cls.nn_relu, (p,), out_ty=R.Tensor((4, 6), dtype="float32"))
            s = R.call_tir(cls.nn_softmax, (p,), out_ty=R.Tensor((4, 6), dtype="float32"))
            y = R.call_tir(cls.add, (q, s), out_ty=R.Tensor((4, 6), dtype="float32"))
            R.output(y)
        return y


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def add(A: T.Buffer((T.int64(4), T.int64(6)), "float32"), B: T.Buffer((T.int64(4), T.int64(6)), "float32"), T_1: T.Buffer((T.int64(4), T.int64(6)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(4), T.int64(6)):
            with T.sblock("T_add"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1], B[v0, v1])
                T.writes(T_1[v0, v1])
                T_1[v0, v1] = A[v0, v1] + B[v0, v1]

    @T.prim_func(private=True)
    def fused_nn_relu_add(A: T.Buffer((T.int64(4), T.int64(6)), "float32"), B: T.Buffer((T.int64(4), T.int64(6)), "float32"), T_1: T.Buffer((T.int64(4), T.int64(6)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_1_1 = T.sblock_alloc_buffer((T.int64(4), T.int64(6)))
        for i0, i1 in T.grid(T.int64(4), T.int64(6)):
            with T.sblock("compute"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1])
                T.writes(T_1_1[v0, v1])
                T_1_1[v0, v1] = T.max(A[v0, v1], T.float32(0.0))
        for i0, i1 in T.grid(T.int64(4), T.int64(6)):
            with T.sblock("T_add"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_1_1[v0, v1], B[v0, v1])
                T.writes(T_1[v0, v1])
                T_1[v0, v1] = T_1_1[v0, v1] + B[v0, v1]

    @T.prim_func(private=True)
    def fused_nn_softmax_nn_relu_add(A: T.Buffer((T.int64(4), T.int64(6)), "float32"), T_1: T.Buffer((T.int64(4), T.int64(6)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_softmax_maxelem = T.sblock_alloc_buffer((T.int64(4),))
        T_softmax_expsum = T.sblock_alloc_buffer((T.int64(4),))
        T_softmax_exp = T.sblock_alloc_buffer((T.int64(4), T.int64(6)))
        T_softmax_norm = T.sblock_alloc_buffer((T.int64(4), T.int64(6)))
        for i0, k1 in T.grid(T.int64(4), T.int64(6)):
            with T.sblock("T_softmax_maxelem"):
                v0, v1 = T.axis.remap("SR", [i0, k1])
                T.reads(A[v0, v1])
                T.writes(T_softmax_maxelem[v0])
                with T.init():
                    T_softmax_maxelem[v0] = T.float32("-inf")
                T_softmax_maxelem[v0] = T.max(T_softmax_maxelem[v0], A[v0, v1])
        for i0, i1 in T.grid(T.int64(4), T.int64(6)):
            with T.sblock("T_softmax_exp"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1], T_softmax_maxelem[v0])
                T.writes(T_softmax_exp[v0, v1])
                T_softmax_exp[v0, v1] = T.exp(A[v0, v1] - T_softmax_maxelem[v0])
        for i0, k1 in T.grid(T.int64(4), T.int64(6)):
            with T.sblock("T_softmax_expsum"):
                v0, v1 = T.axis.remap("SR", [i0, k1])
                T.reads(T_softmax_exp[v0, v1])
                T.writes(T_softmax_expsum[v0])
                with T.init():
                    T_softmax_expsum[v0] = T.float32(0.0)
                T_softmax_expsum[v0] = T_softmax_expsum[v0] + T_softmax_exp[v0, v1]
        for i0, i1 in T.grid(T.int64(4), T.int64(6)):
            with T.sblock("T_softmax_norm"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_softmax_exp[v0, v1], T_softmax_expsum[v0])
                T.writes(T_softmax_norm[v0, v1])
                T_softmax_norm[v0, v1] = T_softmax_exp[v0, v1] / T_softmax_expsum[v0]
        for i0, i1 in T.grid(T.int64(4), T.int64(6)):
            with T.sblock("T_add"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1], T_softmax_norm[v0, v1])
                T.writes(T_1[v0, v1])
                T_1[v0, v1] = T.max(A[v0, v1], T.float32(0.0)) + T_softmax_norm[v0, v1]

    @T.prim_func(private=True)
    def matmul(A: T.Buffer((T.int64(4), T.int64(8)), "float32"), B: T.Buffer((T.int64(8), T.int64(6)), "float32"), matmul: T.Buffer((T.int64(4), T.int64(6)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, k2 in T.grid(T.int64(4), T.int64(6), T.int64(8)):
            with T.sblock("matmul"):
                v0, v1, v2 = T.axis.remap("SSR", [i0, i1, k2])
                T.reads(A[v0, v2], B[v2, v1])
                T.writes(matmul[v0, v1])
                with T.init():
                    matmul[v0, v1] = T.float32(0.0)
                matmul[v0, v1] = matmul[v0, v1] + A[v0, v2] * B[v2, v1]

    @T.prim_func(private=True)
    def nn_relu(A: T.Buffer((T.int64(4), T.int64(6)), "float32"), T_1: T.Buffer((T.int64(4), T.int64(6)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(4), T.int64(6)):
            with T.sblock("compute"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1])
                T.writes(T_1[v0, v1])
                T_1[v0, v1] = T.max(A[v0, v1], T.float32(0.0))

    @T.prim_func(private=True)
    def nn_softmax(A: T.Buffer((T.int64(4), T.int64(6)), "float32"), T_softmax_norm: T.Buffer((T.int64(4), T.int64(6)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_softmax_maxelem = T.sblock_alloc_buffer((T.int64(4),))
        T_softmax_expsum = T.sblock_alloc_buffer((T.int64(4),))
        T_softmax_exp = T.sblock_alloc_buffer((T.int64(4), T.int64(6)))
        for i0, k1 in T.grid(T.int64(4), T.int64(6)):
            with T.sblock("T_softmax_maxelem"):
                v0, v1 = T.axis.remap("SR", [i0, k1])
                T.reads(A[v0, v1])
                T.writes(T_softmax_maxelem[v0])
                with T.init():
                    T_softmax_maxelem[v0] = T.float32("-inf")
                T_softmax_maxelem[v0] = T.max(T_softmax_maxelem[v0], A[v0, v1])
        for i0, i1 in T.grid(T.int64(4), T.int64(6)):
            with T.sblock("T_softmax_exp"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1], T_softmax_maxelem[v0])
                T.writes(T_softmax_exp[v0, v1])
                T_softmax_exp[v0, v1] = T.exp(A[v0, v1] - T_softmax_maxelem[v0])
        for i0, k1 in T.grid(T.int64(4), T.int64(6)):
            with T.sblock("T_softmax_expsum"):
                v0, v1 = T.axis.remap("SR", [i0, k1])
                T.reads(T_softmax_exp[v0, v1])
                T.writes(T_softmax_expsum[v0])
                with T.init():
                    T_softmax_expsum[v0] = T.float32(0.0)
                T_softmax_expsum[v0] = T_softmax_expsum[v0] + T_softmax_exp[v0, v1]
        for i0, i1 in T.grid(T.int64(4), T.int64(6)):
            with T.sblock("T_softmax_norm"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_softmax_exp[v0, v1], T_softmax_expsum[v0])
                T.writes(T_softmax_norm[v0, v1])
                T_softmax_norm[v0, v1] = T_softmax_exp[v0, v1] / T_softmax_expsum[v0]

    @R.function
    def main(x: R.Tensor((4, 8), dtype="float32"), w: R.Tensor((8, 6), dtype="float32"), b: R.Tensor((6,), dtype="float32")) -> R.Tensor((4, 6), dtype="float32"):
        cls = Expected
        with R.dataflow():
            p = R.call_tir(cls.matmul, (x, w), out_ty=R.Tensor((4, 6), dtype="float32"))
            y = R.call_tir(cls.fused_nn_softmax_nn_relu_add, (p,), out_ty=R.Tensor((4, 6), dtype="float32"))
            R.output(y)
        return y
