"""Spans given to constructors: nodes return them, and passes keep them."""

from collections.abc import Callable
from typing import Any

import pytest
import sunmao
from sunmao import compat as tvm
from sunmao.compat import relax, tirx
from sunmao.compat.ir import SourceName, Span
from sunmao.compat.script import relax as R

HERE = Span(SourceName("program.py"), 3, 3, 5, 9)
X = relax.Var("x", R.Tensor((2,), "float32"))
SUM = relax.op.add(X, X)
N = tirx.Var("n", "int32")
BUFFER = tirx.decl_buffer((4,), "float32", "A")
NOTHING = tirx.Evaluate(0)
CONDITION = relax.const(True, "bool")

MADE: dict[str, Callable[[Any], Any]] = {
    "Var": lambda s: relax.Var("y", R.Tensor((2,), "float32"), s),
    "DataflowVar": lambda s: relax.DataflowVar("y", R.Tensor((2,), "float32"), s),
    "Constant": lambda s: relax.Constant(tvm.runtime.empty((2,)), span=s),
    "ShapeExpr": lambda s: relax.ShapeExpr([2, 3], s),
    "StringImm": lambda s: relax.StringImm("text", s),
    "DataTypeImm": lambda s: relax.DataTypeImm("float32", s),
    "Tuple": lambda s: relax.Tuple([X], s),
    "TupleGetItem": lambda s: relax.TupleGetItem(relax.Tuple([X, X]), 1, s),
    "Call": lambda s: relax.Call(tvm.ir.Op.get("relax.add"), [X, X], span=s),
    "Call of a known type": lambda s: relax.Call(relax.GlobalVar("f"), [X], span=s, ty=R.Tensor((2,), "float32")),
    "If": lambda s: relax.If(CONDITION, X, X, s),
    "VarBinding": lambda s: relax.VarBinding(X, SUM, s),
    "MatchCast": lambda s: relax.MatchCast(X, SUM, R.Tensor((2,), "float32"), s),
    "BindingBlock": lambda s: relax.BindingBlock([relax.VarBinding(X, SUM)], s),
    "DataflowBlock": lambda s: relax.DataflowBlock([], s),
    "SeqExpr": lambda s: relax.SeqExpr([], X, s),
    "Function": lambda s: relax.Function([X], X, span=s),
    "an empty function": lambda s: relax.Function.create_empty([X], R.Tensor((2,), "float32"), span=s),
    "ExternFunc": lambda s: relax.ExternFunc("f", span=s),
    "extern": lambda s: relax.extern("f", span=s),
    "AnyType": lambda s: relax.AnyType(s),
    "PrimType": lambda s: tvm.ir.PrimType("int64", span=s),
    "ShapeType": lambda s: relax.ShapeType([2], span=s),
    "ShapeType of a rank": lambda s: relax.ShapeType(ndim=2, span=s),
    "TensorType": lambda s: relax.TensorType((2,), "float32", span=s),
    "TensorType of a rank": lambda s: relax.TensorType(ndim=2, span=s),
    "TupleType": lambda s: relax.TupleType([], s),
    "FuncType": lambda s: relax.FuncType([], relax.AnyType(), span=s),
    "an opaque FuncType": lambda s: relax.FuncType.opaque_func(ret=relax.AnyType(), span=s),
    "tirx.Var": lambda s: tirx.Var("m", "int32", s),
    "a handle": lambda s: tirx.Var("p", tirx.PointerType(tvm.ir.PrimType("int32")), s),
    "SizeVar": lambda s: tirx.SizeVar("m", "int32", s),
    "IntImm": lambda s: tirx.IntImm("int32", 3, s),
    "FloatImm": lambda s: tirx.FloatImm("float32", 3.0, s),
    "tirx.StringImm": lambda s: tirx.StringImm("text", s),
    "Cast": lambda s: tirx.Cast("int64", N, s),
    "Not": lambda s: tirx.Not(tirx.EQ(N, 1), s),
    "Select": lambda s: tirx.Select(tirx.EQ(N, 1), N, N, s),
    "Ramp": lambda s: tirx.Ramp(N, 1, 4, s),
    "Broadcast": lambda s: tirx.Broadcast(N, 4, s),
    "Let": lambda s: tirx.Let(tirx.Var("m", "int32"), 1, N, s),
    "Add": lambda s: tirx.Add(N, 1, s),
    "BufferLoad": lambda s: tirx.BufferLoad(BUFFER, [N], span=s),
    "Buffer": lambda s: tirx.decl_buffer((4,), "float32", "B", span=s),
    "PrimFunc": lambda s: tirx.PrimFunc([BUFFER], NOTHING, span=s),
    "with_body": lambda s: tirx.PrimFunc([BUFFER], NOTHING).with_body(NOTHING, s),
    "Range": lambda s: tvm.ir.Range(0, 4, s),
    "Range.from_min_extent": lambda s: tvm.ir.Range.from_min_extent(0, 4, s),
    "Evaluate": lambda s: tirx.Evaluate(0, s),
    "floordiv": lambda s: tirx.floordiv(N, 2, s),
    "exp": lambda s: tirx.exp(tirx.Var("f", "float32"), span=s),
    "isnan": lambda s: tirx.isnan(tirx.Var("f", "float32"), s),
    "all": lambda s: tirx.all(tirx.EQ(N, 1), tirx.EQ(N, 2), span=s),
    "any": lambda s: tirx.any(tirx.EQ(N, 1), tirx.EQ(N, 2), span=s),
    "const": lambda s: tirx.const(1, "int32", s),
    "min_value": lambda s: tirx.min_value("int32", s),
    "call_extern": lambda s: tirx.call_extern("int32", "f", N, span=s),
    "if_then_else": lambda s: tirx.if_then_else(tirx.EQ(N, 1), N, 1, s),
    "astype": lambda s: N.astype("int64", s),
}


@pytest.mark.parametrize("name", MADE)
def test_nodes_say_the_place_that_they_are_given(name: str) -> None:
    assert MADE[name](HERE).span == HERE
    assert MADE[name](None).span is None


def test_the_place_of_a_node_is_taken_too() -> None:
    assert relax.ShapeExpr([1], tirx.Add(N, 1, HERE).span).span == HERE


def test_a_binding_stands_where_its_value_does() -> None:
    assert relax.VarBinding(X, relax.Tuple([X], HERE)).span == HERE


def test_a_symbol_keeps_its_own_place() -> None:
    assert tirx.max(N, N, HERE) is N


def test_scripts_say_their_places() -> None:
    module = sunmao.parse_module(
        "@R.function\ndef main(x: R.Tensor((2,), 'float32')):\n    return R.exp(x)\n", "here.py"
    )
    call = module.find("main").body.body
    assert (call.span.source_name.name, call.span.line) == ("here.py", 3)


def test_places_do_not_tell_nodes_apart() -> None:
    assert tvm.ir.structural_equal(relax.Tuple([X], HERE), relax.Tuple([X]))
    assert tvm.ir.structural_hash(relax.Tuple([X], HERE)) == tvm.ir.structural_hash(relax.Tuple([X]))


@pytest.mark.parametrize(
    "call",
    [
        lambda: relax.Var("x", relax.AnyType(), Span(SourceName("a"), 1, 2, 1, 1)),
        lambda: relax.Var("x", relax.AnyType(), "here"),
        lambda: tirx.Add(N, 1, 3),
        lambda: tirx.IterVar((0, 4), "i", 0, span=HERE),
    ],
)
def test_what_is_no_place_of_a_node_is_refused(call: Callable[[], Any]) -> None:
    with pytest.raises(sunmao.Error) as caught:
        call()
    assert caught.value.code in ("E0032", "E0034")
