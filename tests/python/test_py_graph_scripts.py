"""Graph-level scripts from Python: macros, meta variables, extern functions, explicit type arguments of calls."""

from typing import Any

import pytest
import sunmao
import sunmao.compat as tvm
from sunmao.compat import relax, topi
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R
from sunmao.compat.script import tirx as T
from sunmao.errors import ScriptError


def test_a_hygienic_macro_sees_the_python_around_it() -> None:
    index = 2

    @R.macro(hygienic=True)
    def alloc(dtype: str):
        found = R.builtin.alloc_tensor(R.shape([4, 4]), runtime_device_index=index, dtype=dtype)
        return found

    index = 1

    @R.function(private=True)
    def func(z: R.Tensor((4, 4), "float32")):
        found = alloc(dtype="float32")
        return found

    @R.function(private=True)
    def expected(z: R.Tensor((4, 4), "float32")):
        found = R.builtin.alloc_tensor(R.shape([4, 4]), R.dtype("float32"), R.prim_value(2))
        copy = found
        return copy

    tvm.ir.assert_structural_equal(func, expected)


def macro_with_a_map() -> object:
    def swapped(i, j):  # type: ignore[no-untyped-def]
        return j, i

    @R.macro(hygienic=True)
    def turned(x):  # type: ignore[no-untyped-def]
        return R.layout_transform(x, index_map=swapped)

    return turned


def test_an_index_map_in_a_hygienic_macro_is_that_around_the_macro() -> None:
    turned = macro_with_a_map()

    @I.ir_module
    class Module:
        @R.function
        def main(x: R.Tensor((2, 3), "float32")):
            y = turned(x)
            return y

    assert list(Module["main"].ret_ty.shape) == [3, 2]


def test_another_macro_sees_what_the_call_sees() -> None:
    @R.macro(hygienic=False)
    def twice():
        out = R.add(x, x)
        return out

    @R.function(private=True)
    def func(x: R.Tensor((4,), "float32")):
        y = twice()
        return y

    assert "R.add(x, x)" in func.script()


def test_what_a_macro_binds_stays_inside() -> None:
    with pytest.raises(ScriptError) as caught:

        @R.macro
        def add_two(value):
            inner = value + R.const(1)
            return inner

        @R.function(private=True)
        def func(t: R.Tensor((), "int32")):
            outer = add_two(t)
            return (outer, inner)

    assert caught.value.code == "E0106"


def test_a_meta_variable_is_not_bound() -> None:
    assert I.meta_var is T.meta_var
    assert I.meta_var(3).value == 3

    @R.function(private=True)
    def func(x: R.Tensor(["n"], "float32")):
        n: R.Prim("int64") = T.int64()
        first = I.meta_var(n)
        second = T.meta_var(first)
        y = R.reshape(x, R.shape([second]))
        return y

    assert len(func.body.blocks[0].bindings) == 1


def test_a_module_holds_extern_functions() -> None:
    known = relax.FuncType([R.Tensor((4,), "float32")], R.Tensor((4,), "float32"))

    @I.ir_module
    class Module:
        my_ext = R.ExternFunc("my_ext")

        @R.function(pure=False)
        def main(x: R.Tensor((4,), "float32")) -> R.Any:
            cls = Module
            y = cls.my_ext(x)
            return y

    assert Module.__name__ == "Module"
    built = tvm.IRModule({"main": Module["main"], "my_ext": relax.ExternFunc("my_ext")})
    tvm.ir.assert_structural_equal(Module, built)
    typed = tvm.IRModule({"f": relax.ExternFunc("f", known)})
    assert typed["f"].ty == known
    tvm.ir.assert_structural_equal(tvm.script.from_source(typed.script()), typed)
    with pytest.raises(TypeError) as caught:
        relax.ExternFunc("f", R.Tensor((4,), "float32"))
    assert "E0315" in str(caught.value)


def test_an_op_by_its_name_is_told_types() -> None:
    @R.function(private=True)
    def func(x: R.Tensor((4,), "float32")):
        y = R.emit_with_ty(
            "relax.builtin.alloc_tensor",
            (R.shape([4]), R.dtype("float32"), R.prim_value(0), R.str("global")),
            (R.Tensor((4,), "float32"),),
        )
        return y

    call = func.body.blocks[0].bindings[0].value
    assert call.op.name == "relax.builtin.alloc_tensor"
    assert list(call.ty_args) == [relax.TensorType([4], "float32")]


def test_arguments_that_are_given_up_are_written_out() -> None:
    with pytest.raises(ScriptError) as caught:

        @I.ir_module
        class Module:
            @R.function
            def main(x: R.Tensor((4,), "float32")):
                args = (x,)
                y = R.call_tir_inplace(Module.f, args, [0], R.Tensor((4,), "float32"))
                return y

            @T.prim_func(s_tir=True)
            def f(A: T.Buffer((4,), "float32")):
                T.evaluate(0)

    assert caught.value.code == "E0110"


def test_a_call_that_states_its_type_is_printed_with_it_once() -> None:
    @I.ir_module
    class Module:
        @R.function
        def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            cls = Module
            y = R.call_tir_inplace(cls.f, (x,), inplace_indices=[0], out_ty=R.Tensor((4,), "float32"))
            return y

        @T.prim_func(s_tir=True, private=True)
        def f(A: T.Buffer((4,), "float32")):
            for i in range(4):
                A[i] = A[i] + T.float32(1)

    assert "        y = R.call_tir_inplace(" in Module.script()


def test_plain_constants_are_of_32_bits() -> None:
    @R.function
    def func() -> R.Tensor:
        return R.const([1, 2])

    assert func.ret_ty.dtype == "int32"


def test_mutators_see_the_shapes_of_calls() -> None:
    seen = []

    @relax.expr_functor.mutator
    class Shapes(relax.PyExprMutator):
        def visit_shape_expr_(self, op):
            seen.append(len(op.values))
            return self.visit_expr_post_order(op)

    n = tvm.tirx.Var("n", "int64")
    x = relax.Var("x", R.Tensor([n, 2], "float32"))
    Shapes().visit_expr(relax.op.add(x, x))
    assert seen == [2]
    branch = relax.If(relax.Var("c", R.Tensor((), "bool")), x, x)
    assert isinstance(relax.BlockBuilder().normalize(branch), relax.If)


def test_a_script_that_is_not_checked_holds_what_it_says() -> None:
    @I.ir_module(check_well_formed=False)
    class Module:
        @R.function
        def main(a: R.Tensor((2,), "float32")):
            c: R.Tensor((2,), "int32") = R.add(a, a)
            return c

    assert not relax.analysis.check_well_formed(Module)
    with pytest.raises(ScriptError) as caught:
        tvm.script.from_source(Module.script())
    assert caught.value.code == "E0113"


def test_a_call_by_its_parts_says_what_the_op_says() -> None:
    concat = tvm.ir.Op.get("relax.concat")
    axis = {"axis": 1}

    @R.function(private=True)
    def written(x: R.Tensor((2, 3), "float32"), args: R.Tuple([R.Tensor((2, 3), "float32")])):
        y = relax.Call(concat, [(x, x)], attrs=axis)
        z = relax.Call(tvm.ir.Op.get("relax.call_dps_packed"), [R.ExternFunc("f"), (y,)], ty_args=[args[0].ty])
        return z

    @R.function(private=True)
    def expected(x: R.Tensor((2, 3), "float32"), args: R.Tuple([R.Tensor((2, 3), "float32")])):
        y = R.concat((x, x), axis=1)
        z = R.call_dps_packed("f", (y,), out_ty=R.Tensor((2, 3), "float32"))
        return z

    tvm.ir.assert_structural_equal(written, expected)
    with pytest.raises(ScriptError) as caught:
        tvm.script.from_source("@R.function\ndef f(x: R.Tensor):\n    return R.Call(R.add)\n")
    assert caught.value.code == "E0108"


def test_functions_of_python_are_called_only_where_a_map_of_indices_is_asked_for() -> None:
    called: list[Any] = []
    spoilsport = lambda i: called.append(i)  # noqa: E731

    with pytest.raises(ScriptError) as refused:

        @R.function
        def reads_a_lambda(x: R.Tensor((2,), "float32")):
            return R.expand_dims(x, axis=spoilsport)

    assert refused.value.code == "E0106" and not called

    def transposed(i, j):  # type: ignore[no-untyped-def]
        return j, i

    @R.function
    def func(x: R.Tensor((2, 3), "float32")):
        return R.layout_transform(x, index_map=transposed)

    assert list(func.ret_ty.shape) == [3, 2]
    with pytest.raises(ScriptError, match="ZeroDivisionError") as failed:
        broken = lambda i: (i, 1 // 0)  # noqa: E731

        @R.function
        def maps_nothing(x: R.Tensor((2,), "float32")):
            return R.layout_transform(x, index_map=broken)

    assert failed.value.code == "E0036"


def test_devices_and_maps_come_from_python() -> None:
    to_channels_last = lambda n, c, h, w: (n, h, w, c)  # noqa: E731

    @R.function
    def func(x: R.Tensor((2, 3, 4, 5), "float32")):
        y = R.layout_transform(x, index_map=to_channels_last)
        z = R.hint_on_device(y, R.device(1, 0))
        w = R.hint_on_device(z, tvm.cpu())
        v = R.hint_on_device(w, R.opencl(2), "global.texture")
        return v

    assert list(func.ret_ty.shape) == [2, 4, 5, 3]
    devices = [b.value.attrs["dst_vdevice"] for b in func.body.blocks[0].bindings[1:]]
    assert [(d.target, d.id) for d in devices] == [("llvm", 0), ("llvm", 0), ("opencl", 2)]
    assert R.cuda(1).target == "cuda"
    bad = "@R.function\ndef f(x: R.Tensor):\n    return R.hint_on_device(x, R.device(77, 0))\n"
    with pytest.raises(ScriptError) as caught:
        tvm.script.from_source(bad)
    assert caught.value.code == "E0110"


def test_a_written_empty_tuple_keeps_its_name() -> None:
    @R.function
    def foo(x: R.Tuple()):
        y: R.Tuple() = R.tuple()
        return y

    x = relax.Var("x", relax.TupleType([]))
    bb = relax.BlockBuilder()
    with bb.function("foo", (x,)):
        y = bb.emit(relax.Tuple([]))
        bb.emit_func_output(y)
    tvm.ir.assert_structural_equal(foo, bb.get()["foo"])


def test_a_call_made_before_its_module_is_typed_when_it_joins() -> None:
    @I.ir_module
    class Later:
        @R.function(private=True)
        def inner(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            return R.add(x, x)

    inner = Later.get_global_var("inner")

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        y = inner(x)
        return y

    assert isinstance(main.ret_ty, relax.AnyType)
    Later["main"] = main
    assert Later["main"].ret_ty == relax.TensorType([4], "float32")
    assert Later["main"].body.blocks[0].bindings[0].var.ty == relax.TensorType([4], "float32")
    typed = Later["main"]
    Later["main"] = typed
    assert Later["main"] is typed


def test_tensor_expressions_become_functions_of_the_module() -> None:
    @I.ir_module
    class Module:
        @R.function
        def main(x: R.Tensor((10, 20), "float32")) -> R.Tensor((10, 20), "float32"):
            a = R.emit_te(topi.add, x, x)
            b = R.emit_te(topi.multiply, a, a)
            c = R.emit_te(topi.add, b, b)
            return c

    bb = relax.BlockBuilder()
    x = relax.Var("x", R.Tensor((10, 20), "float32"))
    with bb.function("main", [x], {"global_symbol": "main"}):
        a = bb.emit_te(topi.add, x, x)
        b = bb.emit_te(topi.multiply, a, a)
        c = bb.emit_te(topi.add, b, b)
        bb.emit_func_output(c)
    tvm.ir.assert_structural_equal(Module, bb.get())


def test_tensor_expressions_need_no_words_of_the_dialect() -> None:
    text = """
@R.function(private=True)
def main(x: R.Tensor((4,), "float32")):
    y = R.emit_te(add, x, x)
    return y
"""
    names = {"add": topi.add}
    given = tvm.script.from_source("@I.ir_module\nclass M:" + text.replace("\n", "\n    "), names)
    assert len(given.get_global_vars()) == 2
    assert sunmao.parse_module(text, names=names).functions
