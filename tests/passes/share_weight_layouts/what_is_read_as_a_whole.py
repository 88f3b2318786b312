# A weight that is read as a whole too stays as it was given, beside the panels.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def add(A: T.Buffer((T.int64(40), T.int64(8)), "float32"), B: T.Buffer((T.int64(40), T.int64(8)), "float32"), T_1: T.Buffer((T.int64(40), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(40), T.int64(8)):
            with T.sblock("T_add"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1], B[v0, v1])
                T.writes(T_1[v0, v1])
                T_1[v0, v1] = A[v0, v1] + B[v0, v1]

    @T.prim_func(private=True)
    def matmul1_prepacked(A: T.Buffer((T.int64(4), T.int64(8)), "float32"), B_panels: T.Buffer((T.int64(320),), "float32"), matmul: T.Buffer((T.int64(4), T.int64(40)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, k2 in T.grid(T.int64(4), T.int64(40), T.int64(8)):
            with T.sblock("matmul"):
                v0, v1, v2 = T.axis.remap("SSR", [i0, i1, k2])
                T.reads(A[v0, v2], B_panels[T.int64(0):T.int64(320)])
                T.writes(matmul[v0, v1])
                with T.init():
                    matmul[v0, v1] = T.float32(0.0)
                matmul[v0, v1] = matmul[v0, v1] + A[v0, v2] * B_panels[v1 // 32 * 256 + v2 * T.min(32, 40 - v1 // 32 * 32) + v1 % 32]

    @T.prim_func(private=True)
    def matmul1_weight_prepack(B: T.Buffer((T.int64(8), T.int64(40)), "float32"), B_panels: T.Buffer((T.int64(320),), "float32")):
        T.func_attr({"sunmao.relayout": True, "tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(8), T.int64(40)):
            with T.sblock("layout"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(B[v0, v1])
                T.writes(B_panels[v1 // 32 * 256 + v0 * T.min(32, 40 - v1 // 32 * 32) + v1 % 32])
                B_panels[v1 // 32 * 256 + v0 * T.min(32, 40 - v1 // 32 * 32) + v1 % 32] = B[v0, v1]

    @T.prim_func(private=True)
    def permute_dims(A: T.Buffer((T.int64(40), T.int64(8)), "float32"), T_transpose: T.Buffer((T.int64(8), T.int64(40)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(8), T.int64(40)):
            with T.sblock("T_transpose"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v1, v0])
                T.writes(T_transpose[v0, v1])
                T_transpose[v0, v1] = A[v1, v0]

    @T.prim_func(private=True)
    def take(A: T.Buffer((T.int64(40), T.int64(8)), "float32"), B: T.Buffer((T.int64(4),), "int64"), T_take: T.Buffer((T.int64(4), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(4), T.int64(8)):
            with T.sblock("T_take"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[T.checked_index(T.Select(B[v0] < 0, B[v0] + 40, B[v0]), T.int64(40), B[v0], "take"), v1], B[v0])
                T.writes(T_take[v0, v1])
                T_take[v0, v1] = A[T.checked_index(T.Select(B[v0] < 0, B[v0] + 40, B[v0]), T.int64(40), B[v0], "take"), v1]

    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((40, 8), dtype="float32"))) -> R.Tuple(R.Tensor((40, 8), dtype="float32"), R.Tensor((8, 40), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"lv": ["w"], "w": ["w"]}, "sunmao.weight_names": ["w"]})
        cls = Before
        with R.dataflow():
            w: R.Tensor((40, 8), dtype="float32") = model_params[0]
            lv = R.call_tir(cls.permute_dims, (w,), out_ty=R.Tensor((8, 40), dtype="float32"))
            w_1: R.Tensor((40, 8), dtype="float32") = model_params[0]
            gv: R.Tuple(R.Tensor((40, 8), dtype="float32"), R.Tensor((8, 40), dtype="float32")) = (w_1, lv)
            R.output(gv)
        return gv

    @R.function
    def main(ids: R.Tensor((4,), dtype="int64"), x: R.Tensor((40, 8), dtype="float32"), w: R.Tensor((40, 8), dtype="float32"), lv: R.Tensor((8, 40), dtype="float32")) -> R.Tuple(R.Tensor((4, 40), dtype="float32"), R.Tensor((40, 8), dtype="float32")):
        R.func_attr({"num_input": 2, "sunmao.param_transform": "main_transform_params"})
        cls = Before
        with R.dataflow():
            e = R.call_tir(cls.take, (w, ids), out_ty=R.Tensor((4, 8), dtype="float32"))
            lv_packed = R.call_tir(cls.matmul1_weight_prepack, (lv,), out_ty=R.Tensor((320,), dtype="float32"))
            lv1 = R.call_tir(cls.matmul1_prepacked, (e, lv_packed), out_ty=R.Tensor((4, 40), dtype="float32"))
            z: R.Tensor((4, 40), dtype="float32") = lv1
            s = R.call_tir(cls.add, (w, x), out_ty=R.Tensor((40, 8), dtype="float32"))
            R.output(z, s)
        return (z, s)


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def add(A: T.Buffer((T.int64(40), T.int64(8)), "float32"), B: T.Buffer((T.int64(40), T.int64(8)), "float32"), T_1: T.Buffer((T.int64(40), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(40), T.int64(8)):
            with T.sblock("T_add"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1], B[v0, v1])
                T.writes(T_1[v0, v1])
                T_1[v0, v1] = A[v0, v1] + B[v0, v1]

    @T.prim_func(private=True)
    def matmul1_prepacked(A: T.Buffer((T.int64(4), T.int64(8)), "float32"), B_panels: T.Buffer((T.int64(320),), "float32"), matmul: T.Buffer((T.int64(4), T.int64(40)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1, k2 in T.grid(T.int64(4), T.int64(40), T.int64(8)):
            with T.sblock("matmul"):
                v0, v1, v2 = T.axis.remap("SSR", [i0, i1, k2])
                T.reads(A[v0, v2], B_panels[T.int64(0):T.int64(320)])
                T.writes(matmul[v0, v1])
                with T.init():
                    matmul[v0, v1] = T.float32(0.0)
                matmul[v0, v1] = matmul[v0, v1] + A[v0, v2] * B_panels[v1 // 32 * 256 + v2 * T.min(32, 40 - v1 // 32 * 32) + v1 % 32]

    @T.prim_func(private=True)
    def matmul1_weight_prepack(B: T.Buffer((T.int64(8), T.int64(40)), "float32"), B_panels: T.Buffer((T.int64(320),), "float32")):
        T.func_attr({"sunmao.relayout": True, "tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(8), T.int64(40)):
            with T.sblock("layout"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(B[v0, v1])
                T.writes(B_panels[v1 // 32 * 256 + v0 * T.min(32, 40 - v1 // 32 * 32) + v1 % 32])
                B_panels[v1 // 32 * 256 + v0 * T.min(32, 40 - v1 // 32 * 32) + v1 % 32] = B[v0, v1]

    @T.prim_func(private=True)
    def permute_dims(A: T.Buffer((T.int64(40), T.int64(8)), "float32"), T_transpose: T.Buffer((T.int64(8), T.int64(40)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(8), T.int64(40)):
            with T.sblock("T_transpose"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v1, v0])
                T.writes(T_transpose[v0, v1])
                T_transpose[v0, v1] = A[v1, v0]

    @T.prim_func(private=True)
    def take(A: T.Buffer((T.int64(40), T.int64(8)), "float32"), B: T.Buffer((T.int64(4),), "int64"), T_take: T.Buffer((T.int64(4), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(4), T.int64(8)):
            with T.sblock("T_take"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[T.checked_index(T.Select(B[v0] < 0, B[v0] + 40, B[v0]), T.int64(40), B[v0], "take"), v1], B[v0])
                T.writes(T_take[v0, v1])
                T_take[v0, v1] = A[T.checked_index(T.Select(B[v0] < 0, B[v0] + 40, B[v0]), T.int64(40), B[v0], "take"), v1]

    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((40, 8), dtype="float32"))) -> R.Tuple(R.Tensor((40, 8), dtype="float32"), R.Tensor((8, 40), dtype="float32")):
        R.func_attr({"num_input": 0, "sunmao.param_transform_of": "main", "sunmao.prepared_from": {"lv": ["w"], "w": ["w"]}, "sunmao.weight_names": ["w"]})
        cls = Expected
        with R.dataflow():
            w: R.Tensor((40, 8), dtype="float32") = model_params[0]
            lv = R.call_tir(cls.permute_dims, (w,), out_ty=R.Tensor((8, 40), dtype="float32"))
            w_1: R.Tensor((40, 8), dtype="float32") = model_params[0]
            gv: R.Tuple(R.Tensor((40, 8), dtype="float32"), R.Tensor((8, 40), dtype="float32")) = (w_1, lv)
            R.output(gv)
        return gv

    @R.function
    def main(ids: R.Tensor((4,), dtype="int64"), x: R.Tensor((40, 8), dtype="float32"), w: R.Tensor((40, 8), dtype="float32"), lv: R.Tensor((8, 40), dtype="float32")) -> R.Tuple(R.Tensor((4, 40), dtype="float32"), R.Tensor((40, 8), dtype="float32")):
        R.func_attr({"num_input": 2, "sunmao.param_transform": "main_transform_params"})
        cls = Expected
        with R.dataflow():
            e = R.call_tir(cls.take, (w, ids), out_ty=R.Tensor((4, 8), dtype="float32"))
            lv_packed = R.call_tir(cls.matmul1_weight_prepack, (lv,), out_ty=R.Tensor((320,), dtype="float32"))
            lv1 = R.call_tir(cls.matmul1_prepacked, (e, lv_packed), out_ty=R.Tensor((4, 40), dtype="float32"))
            z: R.Tensor((4, 40), dtype="float32") = lv1
            s = R.call_tir(cls.add, (w, x), out_ty=R.Tensor((40, 8), dtype="float32"))
            R.output(z, s)
        return (z, s)
