# Calls inside loop-level functions follow the new name.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def f(x: T.float32) -> T.float32:
        return x

    @T.prim_func
    def g(A: T.Buffer((4,), "float32")):
        T.func_attr({"global_symbol": "f"})
        for i in range(4):
            A[i] = Before.f(A[i])


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def f1(x: T.float32) -> T.float32:
        return x

    @T.prim_func
    def f(A: T.Buffer((4,), "float32")):
        for i in range(4):
            A[i] = Expected.f1(A[i])
