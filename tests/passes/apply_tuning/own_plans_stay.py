# Plans that stand on a kernel stay.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_attrs({"sunmao.tuning": {"89b98856c0631cc8": {"x86-64-v3": ["tile 1x1"], "x86-64-v4": ["tile 2x1"]}}})

    @T.prim_func(private=True)
    def product(A: T.Buffer((T.int64(2), T.int64(3)), "float32"), B: T.Buffer((T.int64(3), T.int64(20)), "float32"), out: T.Buffer((T.int64(2), T.int64(20)), "float32")):
        T.func_attr({"sunmao.plans": ["tile 1x1"]})
        with T.sblock("root"):
            for i, j, k in T.grid(T.int64(2), T.int64(20), T.int64(3)):
                with T.sblock("product"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    with T.init():
                        out[vi, vj] = T.float32(0)
                    out[vi, vj] = out[vi, vj] + A[vi, vk] * B[vk, vj]


@I.ir_module
class Expected:
    @T.prim_func(private=True)
    def product(A: T.Buffer((T.int64(2), T.int64(3)), "float32"), B: T.Buffer((T.int64(3), T.int64(20)), "float32"), out: T.Buffer((T.int64(2), T.int64(20)), "float32")):
        T.func_attr({"sunmao.plans": ["tile 1x1"]})
        with T.sblock("root"):
            for i, j, k in T.grid(T.int64(2), T.int64(20), T.int64(3)):
                with T.sblock("product"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    with T.init():
                        out[vi, vj] = T.float32(0)
                    out[vi, vj] = out[vi, vj] + A[vi, vk] * B[vk, vj]
