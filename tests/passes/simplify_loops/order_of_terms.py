# Terms of an index are in the order of the loops, whatever went away from the bounds of these.
from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Before:
    @T.prim_func
    def k(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for task in range(4):
            for tile in range(T.min(4, 8 - task % 2 * 4)):
                C[(task % 2 * 4 + tile) * 5] = A[tile]


@I.ir_module
class Expected:
    @T.prim_func
    def k(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for task, tile in T.grid(4, 4):
            C[tile * 5 + task % 2 * 20] = A[tile]
