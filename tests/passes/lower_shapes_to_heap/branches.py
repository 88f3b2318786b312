# Casts in a branch are checked there.
# pass: lower-shapes-to-heap(emit_err_ctx=False)
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(c: R.Tensor((), "bool"), x: R.Tensor(ndim=1, dtype="float32")) -> R.Shape(ndim=1):
        if c:
            n = T.int64()
            y = R.match_cast(x, R.Tensor((n,), "float32"))
            s = R.shape([n + 1])
            r = s
        else:
            r = R.shape_of(x)
        return r


@I.ir_module
class Expected:
    @T.prim_func(private=True, s_tir=True)
    def shape_func(H: T.Buffer((T.int64(2),), "int64")):
        T.func_attr({"tirx.is_host_func": True})
        H[T.int64(1)] = H[T.int64(0)] + 1

    @R.function(pure=False)
    def main(c: R.Tensor((), dtype="bool"), x: R.Tensor(dtype="float32", ndim=1)) -> R.Shape(ndim=1):
        n = T.int64()
        cls = Expected
        shape_heap: R.Tensor(dtype="int64", ndim=1) = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (2,), ty_args=(R.Tensor(dtype="int64", ndim=1),))
        R.call_packed("vm.builtin.check_tensor_info", c, 0, R.dtype("bool"), R.str(""), ty_args=(R.Tuple,))
        R.call_packed("vm.builtin.check_tensor_info", x, 1, R.dtype("float32"), R.str(""), ty_args=(R.Tuple,))
        if c:
            R.call_packed("vm.builtin.match_shape", x, shape_heap, 1, 1, 0, R.str(""), ty_args=(R.Tuple,))
            cls.shape_func(shape_heap)
            y: R.Tensor((n,), dtype="float32") = R.match_cast(x, R.Tensor((n,), dtype="float32"))
            r: R.Shape(ndim=1) = R.call_packed("vm.builtin.make_shape", shape_heap, 1, 1, 1, ty_args=(R.Shape(ndim=1),))
        else:
            r: R.Shape(ndim=1) = R.shape_of(x)
        return r
