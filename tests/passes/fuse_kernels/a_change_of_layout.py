# A change of layout joins the transpose before it.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def permute_dims(A: T.Buffer((T.int64(70), T.int64(9)), "float32"), T_transpose: T.Buffer((T.int64(9), T.int64(70)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(9), T.int64(70)):
            with T.sblock("T_transpose"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v1, v0])
                T.writes(T_transpose[v0, v1])
                T_transpose[v0, v1] = A[v1, v0]

    @T.prim_func(private=True)
    def prepack(w: T.Buffer((T.int64(9), T.int64(70)), "float32"), panels: T.Buffer((T.int64(3), T.int64(9), T.int64(32)), "float32")):
        T.func_attr({"sunmao.relayout": True, "tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(9), T.int64(70)):
            with T.sblock("layout"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(w[v0, v1])
                T.writes(panels[v1 // 32, v0, v1 % 32])
                panels[v1 // 32, v0, v1 % 32] = w[v0, v1]

    @R.function
    def main(w: R.Tensor((70, 9), dtype="float32")) -> R.Tensor((3, 9, 32), dtype="float32"):
        cls = Before
        with R.dataflow():
            t = R.call_tir(cls.permute_dims, (w,), out_ty=R.Tensor((9, 70), dtype="float32"))
            y = R.call_tir(cls.prepack, (t,), out_ty=R.Tensor((3, 9, 32), dtype="float32"))
            R.output(y)
        return y


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def fused_permute_dims_prepack(A: T.Buffer((T.int64(70), T.int64(9)), "float32"), panels: T.Buffer((T.int64(3), T.int64(9), T.int64(32)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_transpose = T.sblock_alloc_buffer((T.int64(9), T.int64(70)))
        for i0, i1 in T.grid(T.int64(9), T.int64(70)):
            with T.sblock("T_transpose"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v1, v0])
                T.writes(T_transpose[v0, v1])
                T_transpose[v0, v1] = A[v1, v0]
        for i0, i1 in T.grid(T.int64(9), T.int64(70)):
            with T.sblock("layout"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_transpose[v0, v1])
                T.writes(panels[v1 // 32, v0, v1 % 32])
                panels[v1 // 32, v0, v1 % 32] = T_transpose[v0, v1]

    @T.prim_func(private=True)
    def permute_dims(A: T.Buffer((T.int64(70), T.int64(9)), "float32"), T_transpose: T.Buffer((T.int64(9), T.int64(70)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(9), T.int64(70)):
            with T.sblock("T_transpose"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v1, v0])
                T.writes(T_transpose[v0, v1])
                T_transpose[v0, v1] = A[v1, v0]

    @T.prim_func(private=True)
    def prepack(w: T.Buffer((T.int64(9), T.int64(70)), "float32"), panels: T.Buffer((T.int64(3), T.int64(9), T.int64(32)), "float32")):
        T.func_attr({"sunmao.relayout": True, "tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(9), T.int64(70)):
            with T.sblock("layout"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(w[v0, v1])
                T.writes(panels[v1 // 32, v0, v1 % 32])
                panels[v1 // 32, v0, v1 % 32] = w[v0, v1]

    @R.function
    def main(w: R.Tensor((70, 9), dtype="float32")) -> R.Tensor((3, 9, 32), dtype="float32"):
        cls = Expected
        with R.dataflow():
            y = R.call_tir(cls.fused_permute_dims_prepack, (w,), out_ty=R.Tensor((3, 9, 32), dtype="float32"))
            R.output(y)
        return y
