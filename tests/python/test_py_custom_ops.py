"""Custom ops in Python: inference, purity, normalisation, validation, legalisation."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np
import pytest
import sunmao.compat as tvm
from sunmao.compat import relax
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R
from sunmao.errors import OpError, UsageError, VerifyError

KEYS = ("FInferType", "FPurity", "TAllocator", "FNormalize", "FValidate", "FLegalize")
_numbers = count()


def make_op(**attrs: Any) -> Any:
    """Registers an op under a name that no other test uses."""
    name = f"custom_op.test_{next(_numbers)}"
    for key, value in attrs.items():
        tvm.ir.register_op_attr(name, key, value)
    return tvm.ir.Op.get(name)


@pytest.fixture
def doubled() -> Iterator[Any]:
    """An op that doubles its argument; a call with one argument gets an empty second one."""

    def normalize(context: relax.BlockBuilder, call: Any) -> Any:
        return call if len(call.args) == 2 else relax.Call(call.op, [call.args[0], relax.Tuple([])])

    op = make_op(
        FInferType=lambda call, context: call.args[0].ty,
        FLegalize=lambda builder, call: builder.emit(relax.op.add(call.args[0], call.args[0])),
        FPurity=True,
        FNormalize=normalize,
    )
    yield op
    for key in KEYS:
        op.reset_attr(key)


def test_calls_are_typed_by_the_inference_of_the_program(doubled: Any) -> None:
    x = relax.Var("x", R.Tensor((2, 3), "float32"))
    call = relax.Call(doubled, [x])
    tvm.ir.assert_structural_equal(call.ty, x.ty)
    assert doubled.get_attr("FPurity") is True and doubled.get_attr("FLegalize") is not None
    assert "relax." + doubled.name.removeprefix("relax.") in tvm.ir.Op.list_op_names()


def test_scripts_name_the_op_and_print_back(doubled: Any) -> None:
    @R.function(private=True)
    def func(x: R.Tensor((2,), "float32")):
        return relax.Call(doubled, [x, R.tuple()])

    text = func.script()
    assert f"R.{doubled.name.removeprefix('relax.')}(x, R.tuple())" in text
    tvm.ir.assert_structural_equal(tvm.script.from_source(text), func)


def test_normal_form_is_asked_for_where_calls_are_normalised_and_not_by_the_reader(doubled: Any) -> None:
    @I.ir_module(check_well_formed=False)
    class Written:
        @R.function
        def main(x: R.Tensor((2,), "float32")):
            return relax.Call(doubled, [x])

    @I.ir_module
    class Normal:
        @R.function
        def main(x: R.Tensor((2,), "float32")):
            return relax.Call(doubled, [x, R.tuple()])

    assert len(Written["main"].body.blocks[0].bindings[0].value.args) == 1
    tvm.ir.assert_structural_equal(relax.transform.Normalize()(Written), Normal)
    assert relax.transform.Normalize()(Normal).same_as(Normal)
    tvm.ir.assert_structural_equal(relax.PyExprMutator().visit_expr(Written["main"]), Normal["main"])
    builder = relax.BlockBuilder()
    x = relax.Var("x", R.Tensor((2,), "float32"))
    with builder.function("main", [x]):
        builder.emit_func_output(builder.emit(relax.Call(doubled, [x])))
    tvm.ir.assert_structural_equal(builder.get(), Normal)

    assert not relax.analysis.check_well_formed(Written)
    assert relax.analysis.well_formed(Normal)
    with pytest.raises(VerifyError, match="E0416"):
        relax.analysis.well_formed(Written)


def test_the_check_of_the_program_is_part_of_well_formedness() -> None:
    def validate(call: Any) -> None:
        if len(call.args) != 2:
            raise ValueError("two arguments, please")

    op = make_op(FInferType=lambda call, context: call.args[0].ty, FPurity=True, FValidate=validate)
    x = relax.Var("x", R.Tensor((2,), "float32"))

    def function(args: list[Any]) -> Any:
        y = relax.Var("y", x.ty)
        block = relax.BindingBlock([relax.VarBinding(y, relax.Call(op, args))])
        return relax.Function([x], relax.SeqExpr([block], y))

    assert relax.analysis.well_formed(function([x, x]))
    with pytest.raises(VerifyError, match="two arguments, please"):
        relax.analysis.well_formed(function([x]))


def test_an_op_that_is_not_said_to_be_pure_has_effects() -> None:
    op = make_op(FInferType=lambda call, context: call.args[0].ty)
    x = relax.Var("x", R.Tensor((2,), "float32"))
    assert relax.analysis.contains_impure_call(relax.Call(op, [x]))
    with pytest.raises(UsageError, match="impure") as caught:
        tvm.ir.register_op_attr(op.name, "FPurity", True)
    assert caught.value.code == "E0034"


@pytest.mark.parametrize("allocates", [False, True])
def test_equal_calls_of_an_allocator_are_not_merged(allocates: bool) -> None:
    op = make_op(FInferType=lambda call, context: call.args[0].ty, FPurity=True, TAllocator=allocates)
    assert bool(op.get_attr("TAllocator")) == allocates == op.allocates
    x = relax.Var("x", R.Tensor((2,), "float32"))
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        with bb.dataflow():
            out = bb.emit_output(relax.Tuple([bb.emit(relax.Call(op, [x])) for _ in range(2)]))
        bb.emit_func_output(out)
    merged = relax.transform.EliminateCommonSubexpr()(bb.get())["main"]
    calls = [b for b in merged.body.blocks[0].bindings if isinstance(b.value, relax.Call)]
    assert len(calls) == (2 if allocates else 1)
    with pytest.raises(UsageError, match="TAllocator"):
        tvm.ir.register_op_attr(op.name, "TAllocator", not allocates)


@pytest.mark.parametrize("allocates", [False, True])
def test_calls_of_an_allocator_stay_in_functions_that_share_a_transform(allocates: bool) -> None:
    op = make_op(FInferType=lambda call, context: call.args[0].ty, FPurity=True, TAllocator=allocates)
    bb = relax.BlockBuilder()
    for name in ("f", "g"):
        w = relax.Var("w", R.Tensor((2,), "float32"))
        with bb.function(name, [w], attrs={"num_input": 0}):
            with bb.dataflow():
                out = bb.emit_output(relax.Tuple([bb.emit(relax.Call(op, [w])) for _ in range(2)]))
            bb.emit_func_output(out)
    lifted = relax.transform.LiftTransformParams(shared_transform=True)(bb.get())
    for name in ("f", "g"):
        bindings = [b for block in lifted[name].body.blocks for b in block.bindings]
        assert sum(isinstance(b.value, relax.Call) for b in bindings) == (2 if allocates else 0)


def test_ops_of_the_library_say_what_allocates() -> None:
    assert tvm.ir.Op.get("relax.vm.alloc_storage").get_attr("TAllocator") is True
    assert not tvm.ir.Op.get("relax.add").has_attr("TAllocator")


def test_making_legal_and_running(doubled: Any) -> None:
    @I.ir_module
    class Module:
        @R.function
        def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
            y = relax.Call(doubled, [x, R.tuple()])
            return y

    legal = relax.transform.LegalizeOps()(Module)
    assert doubled.name.removeprefix("relax.") not in legal.script() and "call_tir" in legal.script()
    assert relax.transform.LegalizeOps()(legal).same_as(legal)
    machine = relax.VirtualMachine(relax.build(legal), tvm.cpu())
    found = machine["main"](np.array([1, 2, 3], "float32"))
    np.testing.assert_array_equal(found.numpy(), np.array([2, 4, 6], "float32"))


def test_a_map_of_legalisations_comes_before_the_library_and_what_it_gives_is_made_legal() -> None:
    @I.ir_module
    class Module:
        @R.function
        def main(x: R.Tensor((3,), "float32"), y: R.Tensor((3,), "float32")):
            z = R.add(x, y)
            return z

    def subtract(builder: relax.BlockBuilder, call: Any) -> Any:
        return relax.op.subtract(call.args[0], call.args[1])

    legal = relax.transform.LegalizeOps({"relax.add": subtract})(Module)
    assert [v.name_hint for v in legal.get_global_vars()] == ["main", "subtract"]
    with pytest.raises(UsageError, match="does not end"):
        again = {"relax.add": lambda builder, call: relax.op.add(call.args[1], call.args[0])}
        relax.transform.LegalizeOps(again)(Module)


def test_errors_of_the_inference_reach_the_caller() -> None:
    def refuse(call: Any, context: Any) -> Any:
        raise KeyError("no such thing")

    x = relax.Var("x", R.Tensor((2,), "float32"))
    with pytest.raises(KeyError, match="no such thing"):
        relax.Call(make_op(FInferType=refuse), [x])
    with pytest.raises(UsageError):
        relax.Call(make_op(FInferType=lambda call, context: None), [x])


def test_what_is_reset_is_gone() -> None:
    op = make_op(FInferType=lambda call, context: call.args[0].ty)
    name = op.name
    op.reset_attr("FInferType")
    with pytest.raises(OpError, match="E0204"):
        tvm.ir.Op.get(name)
    with pytest.raises(OpError, match="no longer registered"):
        relax.Call(op, [relax.Var("x", R.Tensor((2,), "float32"))])


def test_the_records_of_the_library_do_not_change() -> None:
    for key, value in {"FInferType": lambda call, context: None, "FPurity": False, "TAllocator": True}.items():
        with pytest.raises(UsageError, match="op of the library"):
            tvm.ir.register_op_attr("relax.add", key, value)
    with pytest.raises(UsageError, match="is a function"):
        tvm.ir.register_op_attr("custom_op.wrong", "FInferType", 3)
    x = relax.Var("x", R.Tensor((2,), "float32"))
    infer = tvm.ir.Op.get("relax.add").get_attr("FInferType")
    tvm.ir.assert_structural_equal(infer(relax.op.add(x, x), None), x.ty)
