# A cast is checked where the static type does not say it, and its symbols are stored for what follows; so is the result.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(x: R.Tensor, t: R.Any) -> R.Tuple(R.Tensor(("n", 4), "float32"), R.Any):
        n = T.int64()
        y = R.match_cast(x, R.Tensor((n, 4), "float32"))
        z = R.match_cast(t, R.Tuple(R.Tensor((n + 1,), "int32"), R.Prim("int64")))
        a = R.call_packed("f", y, ty_args=R.Any)
        return (a, z)


@I.ir_module
class Expected:
    @T.prim_func(private=True, s_tir=True)
    def shape_func(H: T.Buffer((T.int64(2),), "int64")):
        T.func_attr({"tirx.is_host_func": True})
        H[T.int64(1)] = H[T.int64(0)] + 1

    @R.function(pure=False)
    def main(x: R.Tensor, t: R.Any) -> R.Tuple(R.Tensor(("n", 4), dtype="float32"), R.Any):
        n = T.int64()
        cls = Expected
        shape_heap: R.Tensor(dtype="int64", ndim=1) = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (2,), ty_args=(R.Tensor(dtype="int64", ndim=1),))
        gv: R.Any = R.null_value()
        R.call_packed("vm.builtin.check_tensor_info", x, -1, gv, R.str("ErrorContext(fn=main, loc=param[0], param=x, annotation=Tensor()) "), ty_args=(R.Tuple,))
        R.call_packed("vm.builtin.check_tensor_info", x, 2, R.dtype("float32"), R.str("ErrorContext(match_cast, annotation=Tensor((n, 4), \"float32\")) "), ty_args=(R.Tuple,))
        R.call_packed("vm.builtin.match_shape", x, shape_heap, 2, 1, 0, 0, 4, R.str("ErrorContext(match_cast, annotation=Tensor((n, 4), \"float32\")) "), ty_args=(R.Tuple,))
        cls.shape_func(shape_heap)
        y: R.Tensor((n, 4), dtype="float32") = R.match_cast(x, R.Tensor((n, 4), dtype="float32"))
        R.call_packed("vm.builtin.check_tuple_info", t, 2, R.str("ErrorContext(match_cast, annotation=Tuple(Tensor((n + 1,), \"int32\"), Prim(\"int64\"))) "), ty_args=(R.Tuple,))
        gv_1: R.Any = R.call_packed("vm.builtin.tuple_getitem", t, 0, ty_args=(R.Any,))
        R.call_packed("vm.builtin.check_tensor_info", gv_1, 1, R.dtype("int32"), R.str("ErrorContext(match_cast, annotation=Tuple(Tensor((n + 1,), \"int32\"), Prim(\"int64\"))) "), ty_args=(R.Tuple,))
        gv_2: R.Any = R.call_packed("vm.builtin.tuple_getitem", t, 1, ty_args=(R.Any,))
        R.call_packed("vm.builtin.check_prim_value_info", gv_2, R.dtype("int64"), R.str("ErrorContext(match_cast, annotation=Tuple(Tensor((n + 1,), \"int32\"), Prim(\"int64\"))) "), ty_args=(R.Tuple,))
        R.call_packed("vm.builtin.match_shape", gv_1, shape_heap, 1, 3, 1, R.str("ErrorContext(match_cast, annotation=Tuple(Tensor((n + 1,), \"int32\"), Prim(\"int64\"))) "), ty_args=(R.Tuple,))
        z: R.Tuple(R.Tensor((n + 1,), dtype="int32"), T.int64) = R.match_cast(t, R.Tuple(R.Tensor((n + 1,), dtype="int32"), T.int64))
        a: R.Any = R.call_packed("f", y, ty_args=(R.Any,))
        R.call_packed("vm.builtin.check_tensor_info", a, 2, R.dtype("float32"), R.str("ErrorContext(fn=main, loc=return, annotation=Tuple(Tensor((n, 4), \"float32\"), Any)) "), ty_args=(R.Tuple,))
        R.call_packed("vm.builtin.match_shape", a, shape_heap, 2, 3, 0, 0, 4, R.str("ErrorContext(fn=main, loc=return, annotation=Tuple(Tensor((n, 4), \"float32\"), Any)) "), ty_args=(R.Tuple,))
        return (a, z)
