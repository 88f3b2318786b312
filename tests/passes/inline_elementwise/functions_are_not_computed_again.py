# A function of many instructions that many rows read stays a statement of its own; what is cheap does not.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def cheap(A: T.Buffer((T.int64(8),), "float32"), B: T.Buffer((T.int64(4), T.int64(8)), "float32"), C: T.Buffer((T.int64(4), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        t = T.sblock_alloc_buffer((T.int64(8),))
        for i in range(T.int64(8)):
            with T.sblock("t"):
                v = T.axis.spatial(T.int64(8), i)
                T.reads(A[v])
                T.writes(t[v])
                t[v] = A[v] * A[v]
        for i, j in T.grid(T.int64(4), T.int64(8)):
            with T.sblock("add"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(t[vj], B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = t[vj] + B[vi, vj]

    @T.prim_func(private=True)
    def function(A: T.Buffer((T.int64(8),), "float32"), B: T.Buffer((T.int64(4), T.int64(8)), "float32"), C: T.Buffer((T.int64(4), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        t = T.sblock_alloc_buffer((T.int64(8),))
        for i in range(T.int64(8)):
            with T.sblock("t"):
                v = T.axis.spatial(T.int64(8), i)
                T.reads(A[v])
                T.writes(t[v])
                t[v] = T.exp(A[v])
        for i, j in T.grid(T.int64(4), T.int64(8)):
            with T.sblock("add"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(t[vj], B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = t[vj] + B[vi, vj]

    @T.prim_func(private=True)
    def joined(A: T.Buffer((T.int64(8),), "float32"), B: T.Buffer((T.int64(16),), "float32"), C: T.Buffer((T.int64(24),), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        t = T.sblock_alloc_buffer((T.int64(8),))
        for i in range(T.int64(8)):
            with T.sblock("t"):
                v = T.axis.spatial(T.int64(8), i)
                T.reads(A[v])
                T.writes(t[v])
                t[v] = T.exp(A[v])
        for i in range(T.int64(24)):
            with T.sblock("join"):
                v = T.axis.spatial(T.int64(24), i)
                T.reads(t[v], B[v - 8])
                T.writes(C[v])
                C[v] = T.if_then_else(v < 8, t[v], B[v - 8])


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def cheap(A: T.Buffer((T.int64(8),), "float32"), B: T.Buffer((T.int64(4), T.int64(8)), "float32"), C: T.Buffer((T.int64(4), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i, j in T.grid(T.int64(4), T.int64(8)):
            with T.sblock("add"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vj], B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = A[vj] * A[vj] + B[vi, vj]

    @T.prim_func(private=True)
    def function(A: T.Buffer((T.int64(8),), "float32"), B: T.Buffer((T.int64(4), T.int64(8)), "float32"), C: T.Buffer((T.int64(4), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        t = T.sblock_alloc_buffer((T.int64(8),))
        for i in range(T.int64(8)):
            with T.sblock("t"):
                v = T.axis.spatial(T.int64(8), i)
                T.reads(A[v])
                T.writes(t[v])
                t[v] = T.exp(A[v])
        for i, j in T.grid(T.int64(4), T.int64(8)):
            with T.sblock("add"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(t[vj], B[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = t[vj] + B[vi, vj]

    @T.prim_func(private=True)
    def joined(A: T.Buffer((T.int64(8),), "float32"), B: T.Buffer((T.int64(16),), "float32"), C: T.Buffer((T.int64(24),), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for i in range(T.int64(24)):
            with T.sblock("join"):
                v = T.axis.spatial(T.int64(24), i)
                T.reads(A[v], B[v - 8])
                T.writes(C[v])
                C[v] = T.if_then_else(v < 8, T.exp(A[v]), B[v - 8])
