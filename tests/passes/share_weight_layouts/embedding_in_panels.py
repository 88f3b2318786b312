# An embedding that is the last layer's weight too is looked up in the panels of that layer; the weight as it was given
# is not needed any more.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def fused_take_nn_relu(A: T.Buffer((T.int64(40), T.int64(64)), "float32"), B: T.Buffer((T.int64(4),), "int8"), T_1: T.Buffer((T.int64(4), T.int64(64)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_take = T.sblock_alloc_buffer((T.int64(4), T.int64(64)))
        for i0, i1 in T.grid(T.int64(4), T.int64(64)):
            with T.sblock("T_take"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[T.checked_index(T.Select(T.Cast("int64", B[v0]) < 0, T.Cast("int64", B[v0]) + 40, T.Cast("int64", B[v0])), T.int64(40), T.Cast("int64", B[v0]), "take"), v1], B[v0])
                T.writes(T_take[v0, v1])
                T_take[v0, v1] = A[T.checked_index(T.Select(T.Cast("int64", B[v0]) < 0, T.Cast("int64", B[v0]) + 40, T.Cast("int64", B[v0])), T.int64(40), T.Cast("int64", B[v0]), "take"), v1]
        for i0, i1 in T.grid(T.int64(4), T.int64(64)):
            with T.sblock("compute"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_take[v0, v1])
                T.writes(T_1[v0, v1])
                T_1[v0, v1] = T.max(T_take[v0, v1], T.float32(0.0))

    @T.prim_func(private=True)
    def matmul1_prepacked(A: T.Buffer((T.int64(4), T.int64(64)), "float32"), B_panels: T.Buffer((T.int64(2560),), "float32"), matmul: T.Buffer((T.int64(4), T.int64(40)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, k2 in T.grid(T.int64(4), T.int64(40), T.int64(64)):
            with T.sblock("matmul"):
                v0, v1, v2 = T.axis.remap("SSR", [i0, i1, k2])
                T.reads(A[v0, v2], B_panels[T.int64(0):T.int64(2560)])
                T.writes(matmul[v0, v1])
                with T.init():
                    matmul[v0, v1] = T.float32(0.0)
                matmul[v0, v1] = matmul[v0, v1] + A[v0, v2] * B_panels[v1 // 32 * 2048 + v2 * T.min(32, 40 - v1 // 32 * 32) + v1 % 32]

    @T.prim_func(private=True)
    def matmul1_weight_prepack(B: T.Buffer((T.int64(64), T.int64(40)), "float32"), B_panels: T.Buffer((T.int64(2560),), "float32")):
        T.func_attr({"sunmao.relayout": True, "tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(64), T.int64(40)):
            with T.sblock("layout"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(B[v0, v1])
                T.writes(B_panels[v1 // 32 * 2048 + v0 * T.min(32, 40 - v1 // 32 * 32) + v1 % 32])
                B_panels[v1 // 32 * 2048 + v0 * T.min(32, 40 - v1 // 32 * 32) + v1 % 32] = B[v0, v1]

    @T.prim_func(private=True)
    def permute_dims(A: T.Buffer((T.int64(40), T.int64(64)), "float32"), T_transpose: T.Buffer((T.int64(64), T.int64(40)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(64), T.int64(40)):
            with T.sblock("T_transpose"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v1, v0])
                T.writes(T_transpose[v0, v1])
                T_transpose[v0, v1] = A[v1, v0]

    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((40, 64), dtype="float32"))) -> R.Tuple(R.Tensor((40, 64), dtype="float32"), R.Tensor((64, 40), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"t": ["w"], "w": ["w"]}, "sunmao.weight_names": ["w"]})
        cls = Before
        with R.dataflow():
            w: R.Tensor((40, 64), dtype="float32") = model_params[0]
            t = R.call_tir(cls.permute_dims, (w,), out_ty=R.Tensor((64, 40), dtype="float32"))
            w_1: R.Tensor((40, 64), dtype="float32") = model_params[0]
            gv: R.Tuple(R.Tensor((40, 64), dtype="float32"), R.Tensor((64, 40), dtype="float32")) = (w_1, t)
            R.output(gv)
        return gv

    @R.function
    def main(ids: R.Tensor((4,), dtype="int8"), w: R.Tensor((40, 64), dtype="float32"), t: R.Tensor((64, 40), dtype="float32")) -> R.Tensor((4, 40), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        cls = Before
        with R.dataflow():
            lv = R.call_tir(cls.fused_take_nn_relu, (w, ids), out_ty=R.Tensor((4, 64), dtype="float32"))
            t_packed = R.call_tir(cls.matmul1_weight_prepack, (t,), out_ty=R.Tensor((2560,), dtype="float32"))
            lv1 = R.call_tir(cls.matmul1_prepacked, (lv, t_packed), out_ty=R.Tensor((4, 40), dtype="float32"))
            z: R.Tensor((4, 40), dtype="float32") = lv1
            R.output(z)
        return z


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def fused_take_nn_relu1(A_panels: T.Buffer((T.int64(2560),), "float32"), B: T.Buffer((T.int64(4),), "int8"), T_1: T.Buffer((T.int64(4), T.int64(64)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_take = T.sblock_alloc_buffer((T.int64(4), T.int64(64)))
        for i0, i1 in T.grid(T.int64(4), T.int64(64)):
            with T.sblock("T_take"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A_panels[T.int64(0):T.int64(2560)], B[v0])
                T.writes(T_take[v0, v1])
                T_take[v0, v1] = A_panels[T.checked_index(T.Select(T.Cast("int64", B[v0]) < 0, T.Cast("int64", B[v0]) + 40, T.Cast("int64", B[v0])), T.int64(40), T.Cast("int64", B[v0]), "take") // 32 * 2048 + v1 * T.min(32, 40 - T.checked_index(T.Select(T.Cast("int64", B[v0]) < 0, T.Cast("int64", B[v0]) + 40, T.Cast("int64", B[v0])), T.int64(40), T.Cast("int64", B[v0]), "take") // 32 * 32) + T.checked_index(T.Select(T.Cast("int64", B[v0]) < 0, T.Cast("int64", B[v0]) + 40, T.Cast("int64", B[v0])), T.int64(40), T.Cast("int64", B[v0]), "take") % 32]
        for i0, i1 in T.grid(T.int64(4), T.int64(64)):
            with T.sblock("compute"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_take[v0, v1])
                T.writes(T_1[v0, v1])
                T_1[v0, v1] = T.max(T_take[v0, v1], T.float32(0.0))

    @T.prim_func(private=True)
    def matmul1_prepacked(A: T.Buffer((T.int64(4), T.int64(64)), "float32"), B_panels: T.Buffer((T.int64(2560),), "float32"), matmul: T.Buffer((T.int64(4), T.int64(40)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, k2 in T.grid(T.int64(4), T.int64(40), T.int64(64)):
            with T.sblock("matmul"):
                v0, v1, v2 = T.axis.remap("SSR", [i0, i1, k2])
                T.reads(A[v0, v2], B_panels[T.int64(0):T.int64(2560)])
                T.writes(matmul[v0, v1])
                with T.init():
                    matmul[v0, v1] = T.float32(0.0)
                matmul[v0, v1] = matmul[v0, v1] + A[v0, v2] * B_panels[v1 // 32 * 2048 + v2 * T.min(32, 40 - v1 // 32 * 32) + v1 % 32]

    @T.prim_func(private=True)
    def matmul1_weight_prepack(B: T.Buffer((T.int64(64), T.int64(40)), "float32"), B_panels: T.Buffer((T.int64(2560),), "float32")):
        T.func_attr({"sunmao.relayout": True, "tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(64), T.int64(40)):
            with T.sblock("layout"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(B[v0, v1])
                T.writes(B_panels[v1 // 32 * 2048 + v0 * T.min(32, 40 - v1 // 32 * 32) + v1 % 32])
                B_panels[v1 // 32 * 2048 + v0 * T.min(32, 40 - v1 // 32 * 32) + v1 % 32] = B[v0, v1]

    @T.prim_func(private=True)
    def permute_dims(A: T.Buffer((T.int64(40), T.int64(64)), "float32"), T_transpose: T.Buffer((T.int64(64), T.int64(40)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(64), T.int64(40)):
            with T.sblock("T_transpose"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v1, v0])
                T.writes(T_transpose[v0, v1])
                T_transpose[v0, v1] = A[v1, v0]

    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((40, 64), dtype="float32"))) -> R.Tuple(R.Tensor((40, 64), dtype="float32"), R.Tensor((64, 40), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"t": ["w"], "w": ["w"]}, "sunmao.weight_names": ["w"]})
        cls = Expected
        with R.dataflow():
            w: R.Tensor((40, 64), dtype="float32") = model_params[0]
            t = R.call_tir(cls.permute_dims, (w,), out_ty=R.Tensor((64, 40), dtype="float32"))
            w_1: R.Tensor((40, 64), dtype="float32") = model_params[0]
            gv: R.Tuple(R.Tensor((40, 64), dtype="float32"), R.Tensor((64, 40), dtype="float32")) = (w_1, t)
            R.output(gv)
        return gv

    @R.function
    def main(ids: R.Tensor((4,), dtype="int8"), w: R.Tensor((40, 64), dtype="float32"), t: R.Tensor((64, 40), dtype="float32")) -> R.Tensor((4, 40), dtype="float32"):
        R.func_attr({"num_input": 1, "sunmao.param_transform": "main_transform_params"})
        cls = Expected
        with R.dataflow():
            t_packed = R.call_tir(cls.matmul1_weight_prepack, (t,), out_ty=R.Tensor((2560,), dtype="float32"))
            lv = R.call_tir(cls.fused_take_nn_relu1, (t_packed, ids), out_ty=R.Tensor((4, 64), dtype="float32"))
            lv1 = R.call_tir(cls.matmul1_prepacked, (lv, t_packed), out_ty=R.Tensor((4, 40), dtype="float32"))
            z: R.Tensor((4, 40), dtype="float32") = lv1
            R.output(z)
        return z
