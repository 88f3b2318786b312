# The spelling of older releases: T.block, T.alloc_buffer of a block, T.block_attr, reads left out.
@tvm.script.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, b: T.handle) -> None:
        T.func_attr({"global_symbol": "main", "tir.noalias": True})
        A = T.match_buffer(a, (16, 16), "float32")
        B = T.match_buffer(b, (16, 16), "float32", align=64, offset_factor=1)
        C = T.alloc_buffer((16, 16), dtype="float32")
        for i, j in T.grid(16, 16):
            with T.block("first"):
                T.block_attr({"x": 1})
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj] + A[vj, vi]
        for i0, j0 in T.grid(4, 4):
            with T.block("second"):
                v0 = T.axis.S(4, i0)
                v1 = T.axis.S(4, j0)
                for ii, jj in T.grid(4, 4):
                    with T.block():
                        vi = T.axis.spatial(16, v0 * 4 + ii)
                        vj = T.axis.spatial(16, v1 * 4 + jj)
                        T.where(v0 * 4 + ii < 15)
                        B[vi, vj] = C[vi, vj] * 2.0
