# Ops that the virtual machine runs become calls of its functions, with their arguments one by one.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0)]})

    @T.prim_func
    def fill(y: T.handle, n: T.int64):
        B = T.match_buffer(y, (n,))
        for i in range(n):
            B[i] = T.float32(1)

    @R.function(pure=False)
    def inner(x: R.Tensor, y: R.Tensor) -> R.Tensor:
        return x

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32"), t: R.Tensor((2,), "int64"), s: R.Shape(ndim=2)):
        cls = Before
        u = R.tensor_to_shape(t)
        a = R.reshape(x, u)
        b = R.shape_of(a)
        c = R.to_vdevice(x, "llvm:0")
        R.vm.call_tir_dyn(cls.fill, (x, R.shape([4])))
        f = R.make_closure(cls.inner, (x,))
        g = R.invoke_closure(f, (x,), ty_args=R.Tensor)
        return (b, c, g)


@I.ir_module
class Expected:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global")]})

    @T.prim_func
    def fill(y: T.handle, n: T.int64):
        B = T.match_buffer(y, (n,))
        for i in range(n):
            B[i] = T.float32(1.0)

    @R.function(pure=False)
    def inner(x: R.Tensor, y: R.Tensor) -> R.Tensor:
        return x

    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32"), t: R.Tensor((2,), dtype="int64"), s: R.Shape(ndim=2)) -> R.Tuple(R.Shape(ndim=2), R.Tensor((4,), dtype="float32", vdevice="llvm:0:global"), R.Tensor):
        cls = Expected
        u: R.Shape(ndim=2) = R.call_packed("vm.builtin.tensor_to_shape", t, ty_args=(R.Shape(ndim=2),))
        a: R.Tensor(u, dtype="float32") = R.call_packed("vm.builtin.reshape", x, u, ty_args=(R.Tensor(u, dtype="float32"),))
        b: R.Shape(ndim=2) = R.call_packed("vm.builtin.shape_of", a, ty_args=(R.Shape(ndim=2),))
        c: R.Tensor((4,), dtype="float32", vdevice="llvm:0:global") = R.call_packed("vm.builtin.to_device", x, 1, 0, R.str("global"), ty_args=(R.Tensor((4,), dtype="float32", vdevice="llvm:0:global"),))
        R.call_packed("vm.builtin.call_tir_dyn", cls.fill, x, R.shape([4]), ty_args=(R.Tuple,))
        f: R.Any = R.call_packed("vm.builtin.make_closure", cls.inner, x, ty_args=(R.Any,))
        g: R.Tensor = R.call_builtin_with_ctx("vm.builtin.invoke_closure", (f, x), ty_args=(R.Tensor,))
        return (b, c, g)
