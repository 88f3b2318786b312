"""Kinds of nodes by upstream's names for them and for their fields: how each is read, and made again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.convert import dtype_name
from sunmao.compat.ir import global_info
from sunmao.compat.ir import type as types
from sunmao.compat.ir.attrs_class import Attrs
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.op_class import PREFIX, Op
from sunmao.compat.ir.type import MISSING, Missing
from sunmao.compat.relax import expr as relax
from sunmao.compat.spans import SequentialSpan, SourceName, Span, native_span
from sunmao.compat.tirx import index_map, scalar_classes
from sunmao.compat.tirx.pointer import PointerType, pointer_type
from sunmao.compat.tirx.range import Range
from sunmao.compat.tirx.scalar_classes import BINARY, BINARY_CLASSES
from sunmao.errors import Error, fail
from sunmao.reading import parse_function

_ATTRS, _ENTRIES = "ir.DictAttrs", "__dict__"
Fields = Mapping[str, Callable[[Any], Any]]


@dataclass(frozen=True)
class Kind:
    """A kind of node. `make` takes the fields by name, and `span` where `has_span`. Fields that are `plain` are numbers
    and names; a node `as_text` is nothing but its one field."""

    key: str
    fields: Fields
    make: Callable[..., Any]
    plain: frozenset[str] = frozenset()
    has_span: bool = field(default=True, kw_only=True)
    as_text: bool = field(default=False, kw_only=True)


def _attributes(*names: str) -> Fields:
    return {name: _attribute(name) for name in names}


def _attribute(name: str) -> Callable[[Any], Any]:
    return lambda node: getattr(node, name)


def _dtype(node: Any) -> Any:
    """The dtype as a type; None where it is unknown."""
    name = dtype_name(node.dtype)
    return make.prim_type(name) if name else None


def _number(value: float) -> Any:
    return value if math.isfinite(value) else str(value)  # JSON has no other


def _variable(name: str, ty: Any = None, graph: bool = False, span: Any = None) -> Any:
    """A symbol where the type is a scalar's or a handle's, unless it is said to be of the graph level."""
    of_loops = isinstance(ty, PointerType) or (isinstance(ty, _sunmao.PrimType) and ty.value is None)
    if of_loops and not graph:
        return scalar_classes.Var(name, ty=ty, span=span)
    return make.var(name, ty, False, native_span(span))


def _data_flow_variable(name: str, ty: Any = None, span: Any = None) -> Any:
    return make.var(name, ty, True, native_span(span))


def _function_type(params: Any = None, ret: Any = None, purity: bool = True, span: Any = None) -> Any:
    if params is None:
        return types.FuncType.opaque_func(ret=ret, purity=purity, span=span)
    return types.FuncType(params, ret, purity, span)


def _external(global_symbol: str, ty: Any = None, attrs: Any = None, span: Any = None) -> Any:
    return relax.ExternFunc(global_symbol, ty, span, attrs=attrs)


def _integer(value: Any, ty: Any, span: Any = None) -> Any:
    return scalar_classes.IntImm(ty, value, span)


def _float(value: Any, ty: Any, span: Any = None) -> Any:
    return scalar_classes.FloatImm(ty, float(value), span)


def _cast(value: Any, ty: Any, span: Any = None) -> Any:
    return scalar_classes.Cast(ty, value, span)


def _intrinsic(name: str, dtype: str, args: Any) -> Any:
    return make.scalar_call(name, dtype, args)


def _known_call_type(call: Any) -> Any:
    """What only the module can say, as it knows the callee; any other call knows its type from its arguments."""
    return call.type if isinstance(call.op, _sunmao.GlobalVar) else None


def _symbol_type(var: Any) -> Any:
    return pointer_type(var) if var.dtype == "handle" else _dtype(var)


def _marked_graph(var: Any) -> Any:
    return True if isinstance(var.type, _sunmao.PrimType) and var.type.value is None else None


def _array_of(name: str) -> Callable[[Any], Any]:
    return lambda node: list(getattr(node, name))


def _map_of(name: str) -> Callable[[Any], Any]:
    return lambda node: dict(getattr(node, name))


def _attrs(node: Any) -> Any:
    return node.attrs or None


def _make_span(source_name: Any, line: int, column: int, end_line: int, end_column: int) -> Span:
    if end_line != line:  # the IR keeps places within a line: of this one, where it begins
        end_line, end_column = line, 0
    return Span(source_name, line, end_line, column, end_column)


_VARIABLE = Kind("ir.Var", {"name": _attribute("name"), "ty": _attribute("type"), "graph": _marked_graph}, _variable,
                 frozenset({"graph"}))  # fmt: skip
_DATAFLOW_VARIABLE = Kind("relax.expr.DataflowVar", {"name": _attribute("name"), "ty": _attribute("type")},
                          _data_flow_variable)  # fmt: skip
_BINDING = Kind("relax.expr.VarBinding", _attributes("var", "value"), relax.VarBinding)
_CAST_BINDING = Kind(
    "relax.expr.MatchCast", {**_attributes("var", "value"), "ty": _attribute("cast_type")}, relax.MatchCast
)
_BLOCK = Kind("relax.expr.BindingBlock", {"bindings": _array_of("bindings")}, relax.BindingBlock)
_DATAFLOW_BLOCK = Kind("relax.expr.DataflowBlock", {"bindings": _array_of("bindings")}, relax.DataflowBlock)
_BINARY = {
    BINARY[name]: Kind(f"tirx.{name}", _attributes("a", "b"), BINARY_CLASSES[name]) for name in BINARY
}  # by the extension's word

# The serialization record of each class. A class that stands for two of upstream's node kinds is not listed.
_KINDS: dict[Any, Kind] = {
    SourceName: Kind("ir.SourceName", _attributes("name"), SourceName, has_span=False, as_text=True),
    Span: Kind(
        "ir.Span", _attributes("source_name", "line", "column", "end_line", "end_column"), _make_span,
        frozenset({"line", "column", "end_line", "end_column"}), has_span=False,
    ),
    SequentialSpan: Kind("ir.SequentialSpan", _attributes("spans"), SequentialSpan, has_span=False),
    _sunmao.AnyType: Kind("relax.AnyType", {}, types.AnyType),
    _sunmao.PrimType: Kind("ir.PrimType", _attributes("dtype", "value"), types.PrimType, frozenset({"dtype"})),
    PointerType: Kind("ir.PointerType", _attributes("element_type", "storage_scope"), PointerType, has_span=False),
    _sunmao.ShapeType: Kind(
        "relax.ShapeType",
        {"values": _attribute("values"), "ndim": lambda t: None if t.values is not None else t.ndim},
        types.ShapeType, frozenset({"ndim"}),
    ),
    _sunmao.TensorType: Kind(
        "relax.TensorType",
        {
            "shape": _attribute("shape"), "dtype": _dtype, "vdevice": _attribute("vdevice"),
            "ndim": lambda t: None if t.shape is not None else t.ndim,
        },
        lambda shape=None, dtype=None, vdevice=None, ndim=-1, span=None: types.TensorType(
            shape, dtype, vdevice, ndim, span
        ),
        frozenset({"ndim"}),
    ),
    _sunmao.TupleType: Kind("ir.TupleType", _attributes("fields"), types.TupleType),
    _sunmao.CallableType: Kind(
        "relax.FuncType", _attributes("params", "ret", "purity"), _function_type, frozenset({"purity"})
    ),
    Missing: Kind("sunmao.MissingType", {}, lambda: MISSING, has_span=False),
    _sunmao.VDevice: Kind(
        "ir.VDevice", _attributes("target", "vdevice_id", "memory_scope"), global_info.VDevice,
        frozenset({"vdevice_id"}), has_span=False,
    ),
    _sunmao.DummyGlobalInfo: Kind("ir.DummyGlobalInfo", {}, global_info.DummyGlobalInfo, has_span=False),
    _sunmao.GlobalVar: Kind("ir.GlobalVar", {"name_hint": _attribute("name")}, relax.GlobalVar, has_span=False),
    _sunmao.Constant: Kind("relax.expr.Constant", _attributes("data"), relax.Constant),
    _sunmao.ShapeExpr: Kind("relax.expr.ShapeExpr", {"values": _array_of("values")}, relax.ShapeExpr),
    _sunmao.PrimValue: Kind("relax.expr.PrimValue", _attributes("value"), relax.PrimValue),
    _sunmao.StringLiteral: Kind("relax.expr.StringImm", _attributes("value"), relax.StringImm),
    _sunmao.DTypeLiteral: Kind(
        "relax.expr.DataTypeImm", {"value": lambda d: dtype_name(d.value)}, relax.DataTypeImm, frozenset({"value"})
    ),
    _sunmao.ExternFunc: Kind(
        "relax.expr.ExternFunc",
        {"global_symbol": _attribute("name"), "ty": _attribute("type"), "attrs": _attrs}, _external,
    ),
    _sunmao.Op: Kind("ir.Op", {"name": lambda op: PREFIX + op.name.removeprefix(PREFIX)}, lambda name: Op.get(name),
                     has_span=False, as_text=True),
    _sunmao.Tuple: Kind("relax.expr.Tuple", {"fields": _array_of("fields")}, relax.Tuple),
    _sunmao.TupleGetItem: Kind(
        "relax.expr.TupleGetItem", _attributes("tuple_value", "index"), relax.TupleGetItem, frozenset({"index"})
    ),
    _sunmao.Call: Kind(
        "ir.Call",
        {
            "op": _attribute("op"), "args": _array_of("args"), "attrs": _attrs,
            "ty_args": _array_of("ty_args"), "ty": _known_call_type,
        },
        relax.Call,
    ),
    _sunmao.If: Kind("relax.expr.If", _attributes("cond", "true_branch", "false_branch"), relax.If),
    _sunmao.SeqExpr: Kind("relax.expr.SeqExpr", {"blocks": _array_of("blocks"), "body": _attribute("body")},
                          relax.SeqExpr),
    _sunmao.Function: Kind(
        "relax.expr.Function",
        {"params": _array_of("params"), **_attributes("body", "ret_ty", "is_pure"), "attrs": _attrs},
        relax.Function, frozenset({"is_pure"}),
    ),
    _sunmao.PrimFunc: Kind(
        "sunmao.PrimFunc", {"script": lambda f: f.script()}, lambda script: parse_function(script), has_span=False
    ),
    IRModule: Kind(
        "ir.IRModule", {name: _map_of(name) for name in ("functions", "attrs", "global_infos")}, IRModule,
        has_span=False,
    ),
    _sunmao.SymVar: Kind("ir.Var", {"name": _attribute("name"), "ty": _symbol_type}, _variable),
    _sunmao.IntImm: Kind("ir.IntImm", {"value": lambda i: int(i.value), "ty": _dtype}, _integer, frozenset({"value"})),
    _sunmao.FloatImm: Kind("ir.FloatImm", {"value": lambda f: _number(f.value), "ty": _dtype}, _float,
                           frozenset({"value"})),
    _sunmao.StringImm: Kind("tirx.StringImm", _attributes("value"), scalar_classes.StringImm),
    _sunmao.Not: Kind("tirx.Not", _attributes("a"), scalar_classes.Not),
    _sunmao.Cast: Kind("tirx.Cast", {"value": _attribute("value"), "ty": _dtype}, _cast),
    _sunmao.Select: Kind(
        "tirx.Select", _attributes("condition", "true_value", "false_value"), scalar_classes.Select
    ),
    _sunmao.Ramp: Kind("tirx.Ramp", _attributes("base", "stride", "lanes"), scalar_classes.Ramp),
    _sunmao.Broadcast: Kind("tirx.Broadcast", _attributes("value", "lanes"), scalar_classes.Broadcast),
    _sunmao.Let: Kind("tirx.Let", _attributes("var", "value", "body"), scalar_classes.Let),
    _sunmao.ScalarCall: Kind(
        "sunmao.ScalarCall",
        {"name": _attribute("name"), "dtype": lambda c: dtype_name(c.dtype), "args": _array_of("args")}, _intrinsic,
        frozenset({"dtype"}), has_span=False,
    ),
    Range: Kind("ir.Range", _attributes("min", "extent"),
                lambda min, extent, span=None: Range.from_min_extent(min, extent, span)),
    _sunmao.IndexMap: Kind(
        "tirx.IndexMap", {name: _array_of(name) for name in ("initial_indices", "final_indices")}, index_map.IndexMap,
        has_span=False,
    ),
    _sunmao.DType: Kind("DataType", {"name": str}, lambda name: _sunmao.DType(name), has_span=False, as_text=True),
    Attrs: Kind(_ATTRS, {_ENTRIES: lambda a: a.native()}, Attrs, has_span=False),
}  # fmt: skip
BY_KEY = {
    kind.key: kind
    for kind in (*_KINDS.values(), _VARIABLE, _DATAFLOW_VARIABLE, _BINDING, _CAST_BINDING, _BLOCK, _DATAFLOW_BLOCK,
                 *_BINARY.values())
}  # fmt: skip


def kind_of(node: Any) -> Kind | None:
    """The kind of a node; None for what is none."""
    if isinstance(node, _sunmao.Var):
        return _DATAFLOW_VARIABLE if node.is_dataflow else _VARIABLE
    if isinstance(node, _sunmao.Binding):
        return _BINDING if node.cast_type is None else _CAST_BINDING
    if isinstance(node, _sunmao.BindingBlock):
        return _DATAFLOW_BLOCK if node.is_dataflow else _BLOCK
    if isinstance(node, _sunmao.Binary):
        return _BINARY[node.op]
    return _KINDS.get(type(node))


def make_by_key(key: str, fields: Mapping[str, Any]) -> Any:
    """A node of the kind of this name (E0032, E0034). A type that is stated beside fields that say it must fit."""
    kind = BY_KEY.get(key)
    if kind is None:
        raise fail("E0032", f"making a node of kind `{key}` by its name is not supported", "use its class")
    if key == _ATTRS:  # entries are its fields, or stand in one
        entries = fields.get(_ENTRIES, fields)
        return Attrs({name: list(value) if isinstance(value, tuple) else value for name, value in entries.items()})
    known = (*kind.fields, "span", "ty")
    unknown = [name for name in fields if name not in known]
    if unknown:
        raise fail("E0034", f"`{key}` has no field `{unknown[0]}`", f"fields: {', '.join(known)}")
    derived = () if kind.has_span else ("span",)
    given = {name: value for name, value in fields.items() if value is not None and name not in derived}
    stated = None if "ty" in kind.fields else given.pop("ty", None)
    try:
        made = kind.make(**given)
    except Error:
        raise
    except (TypeError, AttributeError) as error:
        raise fail("E0034", f"`{key}` cannot be made of these fields: {error}") from error
    own = getattr(made, "ty", None)
    if isinstance(stated, _sunmao.Type) and isinstance(own, _sunmao.Type) and not types.is_base_of(stated, own):
        raise fail("E0034", f"`{key}` is stated to be {stated!r}, and is {own!r}")
    return made


def make_node(type_key: str, **values: Any) -> Any:
    """A node by the names that upstream knows its kind and its fields by."""
    return make_by_key(type_key, values)
