# Slots hold what matches read and what functions compute of it; shapes are made of that. What types say is no check.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @T.prim_func(private=True)
    def sizes(H: T.Buffer((T.int64(4),), "int64")):
        T.func_attr({"tirx.is_host_func": True})
        H[T.int64(2)] = H[T.int64(0)] * T.int64(2)
        H[T.int64(3)] = H[T.int64(2)] + H[T.int64(1)]

    @R.function(pure=False)
    def main(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("m",), "float32"), e: R.Prim(value="k")):
        cls = Before
        heap = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (R.prim_value(4),), ty_args=[R.Tensor(ndim=1, dtype="int64")])
        _ = R.call_packed("vm.builtin.check_tensor_info", x, R.prim_value(2), R.dtype("float32"), R.str(""), ty_args=[R.Tuple([])])
        _1 = R.call_packed("vm.builtin.match_shape", x, heap, R.prim_value(2), R.prim_value(1), R.prim_value(0), R.prim_value(0), R.prim_value(4), R.str(""), ty_args=[R.Tuple([])])
        _2 = R.call_packed("vm.builtin.match_prim_value", e, heap, R.prim_value(1), R.prim_value(1), R.str(""), ty_args=[R.Tuple([])])
        _3 = cls.sizes(heap)
        s = R.call_packed("vm.builtin.make_shape", heap, R.prim_value(2), R.prim_value(1), R.prim_value(2), R.prim_value(0), R.prim_value(2), ty_args=[R.Shape(ndim=2)])
        v = R.call_packed("vm.builtin.make_prim_value", heap, R.prim_value(1), R.prim_value(3), ty_args=[R.Prim("int64")])
        r = R.call_packed("vm.builtin.reshape", x, s, ty_args=[R.Tensor(ndim=2, dtype="float32")])
        _4 = R.call_packed("vm.builtin.match_shape", y, heap, R.prim_value(1), R.prim_value(3), R.prim_value(2), R.str(""), ty_args=[R.Tuple([])])
        return (r, y, v, s)


@I.ir_module
class Expected:
    @R.function(pure=False)
    def main(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("m",), dtype="float32"), e: R.Prim(value="k")) -> R.Tuple(R.Tensor(dtype="float32", ndim=2), R.Tensor(("m",), dtype="float32"), T.int64, R.Shape(ndim=2)):
        n = T.int64()
        m = T.int64()
        k = T.int64()
        r: R.Tensor((n * 2, 2), dtype="float32") = R.reshape(x, R.shape([n * 2, 2]))
        y_1: R.Tensor((n * 2,), dtype="float32") = R.match_cast(y, R.Tensor((n * 2,), dtype="float32"))
        return (r, y_1, n * 2 + k, R.shape([n * 2, 2]))
