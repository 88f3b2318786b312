# A bound of a symbol makes a size known, and of a result, too, where the function says so; sizes without bounds are shared when they are equal.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func
    def exp(x: T.handle, y: T.handle):
        n = T.int64()
        A = T.match_buffer(x, (n,))
        B = T.match_buffer(y, (n,))
        for i in range(n):
            with T.sblock("exp"):
                v = T.axis.spatial(n, i)
                B[v] = T.exp(A[v])

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("m",), "float32")):
        R.func_attr({"tir_var_upper_bound": {"n": 16}, "relax.memory_plan_dynamic_func_output": True})
        n, m = T.int64(), T.int64()
        cls = Before
        a = R.builtin.alloc_tensor(R.shape([n * 2]), "float32", 0)
        R.call_packed("f", x, a, ty_args=R.Tuple())
        b = R.builtin.alloc_tensor(R.shape([m * 2]), "float32", 0)
        R.call_packed("f", y, b, ty_args=R.Tuple())
        c = R.builtin.alloc_tensor(R.shape([2 * m]), "float32", 0)
        cls.exp(y, c)
        d = R.builtin.alloc_tensor(R.shape([n + 4]), "float32", 0)
        R.call_packed("f", c, d, ty_args=R.Tuple())
        return d


@I.ir_module
class Expected:
    @T.prim_func
    def exp(x: T.handle, y: T.handle):
        n = T.int64()
        A = T.match_buffer(x, (n,))
        B = T.match_buffer(y, (n,))
        # with T.sblock("root"):
        for i in range(n):
            with T.sblock("exp"):
                v = T.axis.spatial(n, i)
                T.reads(A[v])
                T.writes(B[v])
                B[v] = T.exp(A[v])

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(("m",), dtype="float32")) -> R.Tensor(("n + 4",), dtype="float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 16}})
        n = T.int64()
        m = T.int64()
        cls = Expected
        storage: R.Any = R.memory.alloc_storage(R.shape([128]), 0, R.str("global"), R.dtype("float32"))
        a: R.Tensor((n * 2,), dtype="float32") = R.memory.alloc_tensor(storage, 0, R.shape([n * 2]), R.dtype("float32"), 0)
        R.call_packed("f", x, a, ty_args=(R.Tuple,))
        storage_1: R.Any = R.memory.alloc_storage(R.shape([4 * (m * 2)]), 0, R.str("global"), R.dtype("float32"))
        b: R.Tensor((m * 2,), dtype="float32") = R.memory.alloc_tensor(storage_1, 0, R.shape([m * 2]), R.dtype("float32"), 0)
        R.call_packed("f", y, b, ty_args=(R.Tuple,))
        c: R.Tensor((2 * m,), dtype="float32") = R.memory.alloc_tensor(storage_1, 0, R.shape([2 * m]), R.dtype("float32"), 0)
        cls.exp(y, c)
        storage_2: R.Any = R.memory.alloc_storage(R.shape([80]), 0, R.str("global"), R.dtype("float32"))
        d: R.Tensor((n + 4,), dtype="float32") = R.memory.alloc_tensor(storage_2, 0, R.shape([n + 4]), R.dtype("float32"), 0)
        R.call_packed("f", c, d, ty_args=(R.Tuple,))
        return d
