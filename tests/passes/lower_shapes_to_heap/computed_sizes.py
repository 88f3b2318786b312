# A function computes the sizes that are not whole dimensions; types stay.
# pass: lower-shapes-to-heap(emit_err_ctx=False)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("m + 1",), "float32"), s: R.Shape(["k", 2])):
        n, m, k = T.int64(), T.int64(), T.int64()
        a = R.builtin.alloc_tensor(R.shape([n * k, m]), "float32", 0)
        p = R.prim_value(n * k)
        R.call_packed("f", x, a, p, R.prim_value(m), ty_args=R.Tuple())
        return R.shape([n * k, 3])


@I.ir_module
class Expected:
    @T.prim_func(private=True, s_tir=True)
    def shape_func(H: T.Buffer((T.int64(5),), "int64")):
        T.func_attr({"tirx.is_host_func": True})
        H[T.int64(2)] = H[T.int64(1)] + 1
        H[T.int64(4)] = H[T.int64(0)] * H[T.int64(3)]

    @R.function(pure=False)
    def main(x: R.Tensor(("n", "m"), dtype="float32"), y: R.Tensor(("m + 1",), dtype="float32"), s: R.Shape(["k", 2])) -> R.Shape(["n * k", 3]):
        n = T.int64()
        m = T.int64()
        k = T.int64()
        cls = Expected
        shape_heap: R.Tensor(dtype="int64", ndim=1) = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (5,), ty_args=(R.Tensor(dtype="int64", ndim=1),))
        R.call_packed("vm.builtin.check_tensor_info", x, 2, R.dtype("float32"), R.str(""), ty_args=(R.Tuple,))
        R.call_packed("vm.builtin.check_tensor_info", y, 1, R.dtype("float32"), R.str(""), ty_args=(R.Tuple,))
        R.call_packed("vm.builtin.check_shape_info", s, 2, R.str(""), ty_args=(R.Tuple,))
        R.call_packed("vm.builtin.match_shape", x, shape_heap, 2, 1, 0, 1, 1, R.str(""), ty_args=(R.Tuple,))
        R.call_packed("vm.builtin.match_shape", s, shape_heap, 2, 1, 3, 0, 2, R.str(""), ty_args=(R.Tuple,))
        cls.shape_func(shape_heap)
        R.call_packed("vm.builtin.match_shape", y, shape_heap, 1, 3, 2, R.str(""), ty_args=(R.Tuple,))
        gv: R.Shape(ndim=2) = R.call_packed("vm.builtin.make_shape", shape_heap, 2, 1, 4, 1, 1, ty_args=(R.Shape(ndim=2),))
        a: R.Tensor(gv, dtype="float32") = R.builtin.alloc_tensor(gv, R.dtype("float32"), 0, R.str("global"))
        p: T.int64 = R.call_packed("vm.builtin.make_prim_value", shape_heap, 1, 4, ty_args=(T.int64,))
        gv_1: T.int64 = R.call_packed("vm.builtin.make_prim_value", shape_heap, 1, 1, ty_args=(T.int64,))
        R.call_packed("f", x, a, p, gv_1, ty_args=(R.Tuple,))
        gv_2: R.Shape(ndim=2) = R.call_packed("vm.builtin.make_shape", shape_heap, 2, 1, 4, 0, 3, ty_args=(R.Shape(ndim=2),))
        R.call_packed("vm.builtin.match_shape", gv_2, shape_heap, 2, 3, 4, 0, 3, R.str(""), ty_args=(R.Tuple,))
        return gv_2
