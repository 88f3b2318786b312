from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Before:
    @R.function(private=True, pure=False)
    def inner(held: R.Any, x: R.Tensor((2,), "float32")) -> R.Any:
        y = R.call_packed("f", held, x, R.str("text"), ty_args=(R.Any,))
        return y

    @R.function(pure=False)
    def main(held: R.Any, x: R.Tensor((2,), "float32")):
        n = T.int64()
        cls = Before
        a = cls.inner(held, x)
        b = R.match_cast(a, R.Tensor((n,), "float32"))
        c = R.add(b, b)
        return (c, R.str("name"), held)


@I.ir_module
class Expected:
    @R.function(pure=False, private=True)
    def inner(held: R.Tensor((), dtype="handle"), x: R.Tensor((2,), dtype="float32")) -> R.Tensor((), dtype="handle"):
        y: R.Tensor((), dtype="handle") = R.call_packed("f", held, x, R.str("text"), ty_args=(R.Tensor((), dtype="handle"),))
        return_of_inner: R.Tensor((), dtype="handle") = y
        return return_of_inner

    @R.function(pure=False)
    def main(held: R.Tensor((), dtype="handle"), x: R.Tensor((2,), dtype="float32")) -> R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Tensor((), dtype="handle"), R.Tensor((), dtype="handle")):
        n = T.int64()
        cls = Expected
        a: R.Tensor((), dtype="handle") = cls.inner(held, x)
        R.call_pure_packed("vm.builtin.check_tensor_info", a, 1, R.dtype("float32"), R.str("match_cast_b:"), ty_args=(R.Tuple,))
        match_cast_b: R.Tensor(dtype="float32", ndim=1) = R.call_pure_packed("sunmao.unbox", a, ty_args=(R.Tensor(dtype="float32", ndim=1),))
        match_cast_b_1: R.Tensor((n,), dtype="float32") = R.match_cast(match_cast_b, R.Tensor((n,), dtype="float32"))
        b: R.Tensor((n,), dtype="float32") = match_cast_b_1
        c: R.Tensor((n,), dtype="float32") = R.add(b, b)
        object: R.Tensor((), dtype="handle") = R.call_pure_packed("sunmao.box", R.str("name"), ty_args=(R.Tensor((), dtype="handle"),))
        return_of_main: R.Tuple(R.Tensor((n,), dtype="float32"), R.Tensor((), dtype="handle"), R.Tensor((), dtype="handle")) = (c, object, held)
        return return_of_main
