# A size that only a run knows becomes a symbol, which a cast defines; later uses see the cast. So do those of a branch.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Before:
    @R.function(pure=False)
    def main(c: R.Tensor((1,), "int64"), x: R.Tensor(ndim=1, dtype="float32"), t: R.Tensor((), "bool")):
        heap = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (R.prim_value(1),), ty_args=[R.Tensor(ndim=1, dtype="int64")])
        s = R.call_packed("vm.builtin.tensor_to_shape", c, ty_args=[R.Shape(ndim=1)])
        _ = R.call_packed("vm.builtin.match_shape", s, heap, R.prim_value(1), R.prim_value(1), R.prim_value(0), R.str(""), ty_args=[R.Tuple([])])
        other = heap
        if t:
            _1 = R.call_packed("vm.builtin.match_shape", x, other, R.prim_value(1), R.prim_value(3), R.prim_value(0), R.str(""), ty_args=[R.Tuple([])])
            y: R.Tensor(ndim=1, dtype="float32") = R.exp(x)
        else:
            y: R.Tensor(ndim=1, dtype="float32") = R.negative(x)
        m = R.call_packed("vm.builtin.make_shape", heap, R.prim_value(1), R.prim_value(1), R.prim_value(0), ty_args=[R.Shape(ndim=1)])
        z = R.zeros(m, "float32")
        return (y, z, s, x)


@I.ir_module
class Expected:
    @R.function(pure=False)
    def main(c: R.Tensor((1,), dtype="int64"), x: R.Tensor(dtype="float32", ndim=1), t: R.Tensor((), dtype="bool")) -> R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Tensor(dtype="float32", ndim=1), R.Shape(ndim=1), R.Tensor(dtype="float32", ndim=1)):
        n = T.int64()
        s: R.Shape(ndim=1) = R.tensor_to_shape(c)
        s_1: R.Shape([n]) = R.match_cast(s, R.Shape([n]))
        if t:
            x_1: R.Tensor((n,), dtype="float32") = R.match_cast(x, R.Tensor((n,), dtype="float32"))
            y_1: R.Tensor((n,), dtype="float32") = R.exp(x_1)
            y: R.Tensor(dtype="float32", ndim=1) = y_1
        else:
            y: R.Tensor(dtype="float32", ndim=1) = R.negative(x)
        z: R.Tensor((n,), dtype="float32") = R.zeros(R.shape([n]), dtype="float32")
        return (y, z, s_1, x)
