# A nest that stores in blocks of an axis goes over the blocks; the last one, which is not full, is apart.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def main(A: T.Buffer((T.int64(9), T.int64(70)), "float32"), panels: T.Buffer((T.int64(3), T.int64(9), T.int64(32)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i0, i1 in T.grid(T.int64(9), T.int64(70)):
            with T.sblock("layout"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1])
                T.writes(panels[v1 // 32, v0, v1 % 32])
                panels[v1 // 32, v0, v1 % 32] = A[v0, v1]


@I.ir_module
class Expected:
    @T.prim_func
    def main(A: T.Buffer((T.int64(9), T.int64(70)), "float32"), panels: T.Buffer((T.int64(3), T.int64(9), T.int64(32)), "float32")):
        T.func_attr({"tirx.noalias": True})
        with T.sblock("root"):
            T.reads()
            T.writes()
            for i1_outer, i1 in T.grid(T.min(512, T.Sub(T.int64(18), T.int64(0))), T.int64(2)):
                for i1_lane in T.vectorized(T.int64(16)):
                    panels[i1_outer // 9, i1_outer % 9, i1 * 16 + i1_lane] = A[i1_outer % 9, i1_outer // 9 * 32 + (i1 * 16 + i1_lane)]
            for i0 in range(T.min(2730, T.Sub(T.int64(9), T.int64(0)))):
                for i1_lane in T.vectorized(T.int64(16)):
                    if i1_lane < 6:
                        panels[T.Add(T.int64(0), T.int64(2)), i0, i1_lane] = A[i0, T.Add(T.int64(0), T.int64(2)) * 32 + i1_lane]
